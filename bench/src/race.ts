// The control and the candidates take turns in the same run, so that other work of the machine affects all of them equally.
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
  /** Each peer runs only against the control, after its own warm-up. */
  readonly peerWarmMs: number
  readonly peerSliceMs: number
  readonly peerRounds: number
}

/** A longer warm-up for long-running programs with long code paths: the engine compiles all of them only after some ten thousand calls. */
export const warm = (pace: Pace): Pace => ({ ...pace, warmMs: pace.warmMs * 8 })

/** CPU microseconds per call, by round, with those of the base (the first lane) in the same rounds. */
export type Rounds = { readonly took: number[]; readonly base: number[] }
export type Times = ReadonlyMap<string, Rounds>

export async function race(lanes: readonly Lane[], pace: Pace): Promise<Times> {
  const ours = lanes.filter(({ peer }) => !peer)
  const [base] = ours
  const times = new Map<string, Rounds>()
  if (base) {
    for (const { driver } of ours) await driver.run(pace.warmMs)
    await takeTurns(times, ours, pace.rounds, pace.sliceMs)
    for (const lane of lanes.filter(({ peer }) => peer)) {
      await lane.driver.run(pace.peerWarmMs)
      const both = new Map<string, Rounds>()
      await takeTurns(both, [base, lane], pace.peerRounds, pace.peerSliceMs)
      times.set(lane.name, both.get(lane.name)!)
    }
  }
  for (const lane of lanes) lane.driver.close()
  return times
}

async function takeTurns(times: Map<string, Rounds>, lanes: readonly Lane[], rounds: number, sliceMs: number): Promise<void> {
  const base: number[] = []
  for (const { name } of lanes) times.set(name, { took: [], base })
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, lane] of lanes.entries()) {
      const time = await slice(lane, sliceMs)
      times.get(lane.name)?.took.push(time)
      if (at === 0) base.push(time)
    }
  }
}

async function slice({ pid, driver }: Lane, milliseconds: number): Promise<number> {
  // The first calls reconnect, so they do not count.
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

/** Median of the base's time divided by the lane's, over all rounds: 1 equals the base, more is better. */
export function ratio(base: readonly number[], took: readonly number[]): number {
  return median(took.map((time, round) => base[round]! / time))
}
