import { type Invariant, invariants, meanings, type Violation } from './checker/violation.js'

export type FaultRow = { readonly name: string; readonly what: string; readonly runs: readonly (readonly Violation[])[] }

/** A table of faults and invariants. A cell is the number of violations in runs with that fault. */
export function tableOf(rows: readonly FaultRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length), 5)
  const head = ['fault'.padEnd(width), 'runs', ...invariants].join('  ')
  const lines = rows.map(({ name, runs }) => {
    const cells = invariants.map((invariant) => cellOf(invariant, runs).padStart(invariant.length))
    return [name.padEnd(width), String(runs.length).padStart(4), ...cells].join('  ')
  })
  const legend = invariants.map((invariant) => `${invariant}: ${meanings[invariant]}`)
  const faults = rows.map(({ name, what }) => `${name}: ${what}`)
  return [head, ...lines, '', ...faults, '', ...legend].join('\n')
}

function cellOf(invariant: Invariant, runs: readonly (readonly Violation[])[]): string {
  if (runs.length === 0) return '-'
  const count = runs.flat().filter((violation) => violation.invariant === invariant).length
  return count === 0 ? 'ok' : String(count)
}
