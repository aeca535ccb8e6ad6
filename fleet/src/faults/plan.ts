import { seededRandom, shuffle } from '../random.js'
import type { Fault } from './faults.js'

/** The faults of one run: each fault gets its turn before any is repeated. */
export function planFor(run: number, { seed, faults, each }: { seed: number; faults: readonly Fault[]; each: number }): Fault[] {
  return Array.from({ length: each }, (_, at) => {
    const place = run * each + at
    const round = Math.floor(place / faults.length)
    return shuffle(faults, seededRandom(seed + round))[place % faults.length]
  }).filter((fault) => fault !== undefined)
}
