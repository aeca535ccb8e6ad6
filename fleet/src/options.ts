import { type ParseArgsConfig, parseArgs } from 'node:util'

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

export const usage = `usage: npm run fleet [-- [tests|faults] [options]]
Tests the state that replicas share (tests), then runs three replicas under load with faults (faults).

Options of the faults:
  --runs N                    5 unless given
  --seed N                    repeats the faults of an earlier run
  --only FAULT                only this fault; may be given several times
  --each N                    faults of a run; 2 unless given
  --replicas N                3 unless given
  --store postgres|sqlite     sqlite tests the harness itself, with one replica
  --conformance               also runs the official conformance suite against all replicas
  --keep                      keeps the history of each run, not only of failed ones`

export const knownOptions = {
  runs: { type: 'string', default: '5' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  replicas: { type: 'string', default: '3' },
  store: { type: 'string', default: 'postgres' },
  only: { type: 'string', multiple: true, default: [] },
  each: { type: 'string', default: '2' },
  conformance: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
} satisfies ParseArgsConfig['options']

export function readOptions(argv: string[]): Options {
  const { values } = parseArgs({ args: argv, options: knownOptions })
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
