// Control and candidates take turns in the same run, so that what the machine does besides hits all of them alike.
import type { Driver } from './driver.js'
import { cpuMicros } from './processes.js'

export interface Lane {
  readonly name: string
  readonly pid: number
  readonly driver: Driver
  readonly peer: boolean
}

export interface Pace {
  readonly warmMs: number
  readonly sliceMs: number
  readonly rounds: number
  /** Peers are shown for orientation, so they may be given less time, and take part in the last rounds only. */
  readonly peerWarmMs: number
  readonly peerRounds: number
}

/** For what runs for weeks and whose way is long: the engine takes some ten thousand calls to compile all that each of them meets. */
export const warm = (pace: Pace): Pace => ({ ...pace, warmMs: pace.warmMs * 8 })

/** CPU microseconds a call, by lane, one number a round. */
export type Times = ReadonlyMap<string, readonly number[]>

export async function race(lanes: readonly Lane[], pace: Pace): Promise<Times> {
  for (const { driver, peer } of lanes) await driver.run(peer ? pace.peerWarmMs : pace.warmMs)
  const times = new Map<string, number[]>(lanes.map((lane) => [lane.name, []]))
  for (let round = 0; round < pace.rounds; round += 1) {
    const peersToo = round >= pace.rounds - pace.peerRounds
    for (const lane of lanes.filter(({ peer }) => peersToo || !peer)) {
      times.get(lane.name)?.push(await slice(lane, pace.sliceMs))
    }
  }
  for (const lane of lanes) lane.driver.close()
  return times
}

async function slice({ pid, driver }: Lane, milliseconds: number): Promise<number> {
  // The first calls open the connections again; they do not count.
  await driver.run(20)
  const before = cpuMicros(pid)
  const calls = await driver.run(milliseconds)
  return (cpuMicros(pid) - before) / calls
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) return Number.NaN
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)]!
  return (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Median over their common rounds of what `base` took divided by what `lane` took: 1 is as good as the base, more is better. */
export function ratio(base: readonly number[], lane: readonly number[]): number {
  const missed = base.length - lane.length
  return median(lane.map((time, round) => base[missed + round]! / time))
}
