import { parseArgs } from 'node:util'
import type { Pace } from './race.js'

export interface Options {
  readonly only: readonly string[]
  readonly peers: boolean
  readonly json: boolean
  readonly check: boolean
  readonly quick: boolean
  /** Number of concurrent calls to a gateway in the rows of `fleet`. */
  readonly connections: number
  readonly pace: Pace
  /** Number of starts of a server, and of notifications to all streams. */
  readonly repeats: { readonly starts: number; readonly tells: number }
}

const quick: Pick<Options, 'pace' | 'repeats'> = {
  pace: { warmMs: 400, sliceMs: 130, rounds: 7, peerWarmMs: 1000, peerSliceMs: 1000, peerRounds: 1 },
  repeats: { starts: 9, tells: 15 },
}

const thorough: Pick<Options, 'pace' | 'repeats'> = {
  pace: { warmMs: 1000, sliceMs: 400, rounds: 9, peerWarmMs: 5000, peerSliceMs: 5000, peerRounds: 3 },
  repeats: { starts: 15, tells: 21 },
}

export function readOptions(argv: string[]): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      peers: { type: 'boolean', default: true },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      connections: { type: 'string', default: '16' },
    },
    allowNegative: true,
  })
  const connections = Number(values.connections)
  if (!Number.isInteger(connections) || connections < 1)
    throw new Error('--connections must be a whole number above 0, such as 16')
  return { ...values, connections, ...(values.quick ? quick : thorough) }
}
