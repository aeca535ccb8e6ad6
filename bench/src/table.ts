import type { Demand, Reading, Scale } from './measures.js'

export interface Row {
  readonly scale: Scale
  readonly readings: readonly Reading[]
}

export function holds({ sense, bound }: Demand, value: number): boolean {
  return sense === 'at least' ? value >= bound : value <= bound
}

export function headText(names: readonly string[]): string {
  return line('measure', 'demand', '', names)
}

/** One row: the measure, our bound and verdict, and every subject's value. */
export function rowText({ scale, readings }: Row, names: readonly string[], ours: string): string {
  const value = readingOf(readings, ours)
  const verdict = value === undefined ? '' : holds(scale.demand, value.value) ? 'ok' : 'MISS'
  const sign = scale.demand.sense === 'at least' ? '>=' : '<='
  const cells = names.map((name) => cell(readingOf(readings, name)))
  return line(scale.what, `${sign} ${scale.demand.bound}${scale.demand.unit}`, verdict, cells)
}

function readingOf(readings: readonly Reading[], name: string): Reading | undefined {
  return readings.find((reading) => reading.subject === name)
}

function cell(reading: Reading | undefined): string {
  if (!reading) return '-'
  const inItsUnit = reading.detail.endsWith('KiB')
  return inItsUnit ? reading.detail : `${reading.value.toFixed(reading.value < 0.1 ? 3 : 2)} (${reading.detail})`
}

function line(what: string, demand: string, verdict: string, cells: readonly string[]): string {
  const columns = cells.map((each) => each.padEnd(17))
  return [what.padEnd(44), demand.padEnd(10), verdict.padEnd(5), ...columns].join(' ').trimEnd()
}
