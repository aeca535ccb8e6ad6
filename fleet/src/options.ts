import { parseArgs } from 'node:util'

export type Options = {
  readonly runs: number
  readonly seed: number
  readonly replicas: number
  /** `sqlite` tests the harness itself with a single replica. */
  readonly store: 'postgres' | 'sqlite'
  /** Limits the run to these faults. */
  readonly only: readonly string[]
  readonly each: number
  readonly conformance: boolean
  /** Keeps the history of every run, not only of failed ones. */
  readonly keep: boolean
}

export function readOptions(argv: string[]): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      runs: { type: 'string', default: '5' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      replicas: { type: 'string', default: '3' },
      store: { type: 'string', default: 'postgres' },
      only: { type: 'string', multiple: true, default: [] },
      each: { type: 'string', default: '2' },
      conformance: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  })
  const { only, conformance, keep } = values
  if (values.store !== 'postgres' && values.store !== 'sqlite') throw new Error('--store must be postgres or sqlite')
  const [runs, seed, replicas, each] = (['runs', 'seed', 'replicas', 'each'] as const).map((name) => numberIn(name, values[name]))
  const numbers = { runs: runs ?? 0, seed: seed ?? 0, replicas: replicas ?? 0, each: each ?? 0 }
  return { ...numbers, only, conformance, keep, store: values.store }
}

function numberIn(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a number, not ${text}`)
  return Number(text)
}
