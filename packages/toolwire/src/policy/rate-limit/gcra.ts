// The generic cell rate algorithm: one number for each allowance, the moment at which it is whole again.
import type { Limit } from '../../tools/tool.js'

const lengths = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** Milliseconds that sums of fractions may be off; without it a rested caller could be sent away. */
const rounding = 1e-6

/** Milliseconds until one call has grown back. */
export const emissionIntervalMs = ({ calls, per }: Limit): number => lengths[per] / calls

/** For stores that count in whole microseconds: until one call has grown back, and until all have. Rounded so that no more is granted. */
export function microsecondsOf(limit: Limit): [each: string, room: string] {
  const each = Math.ceil(emissionIntervalMs(limit) * 1_000)
  const room = Math.min(Math.floor(each * (limit.burst ?? limit.calls)), Number.MAX_SAFE_INTEGER)
  return [String(each), String(room)]
}

/** Takes one call from an allowance that is whole at the given moment, or says how long to wait for it. */
export function takeFromAllowance(allowance: { wholeAt: number }, limit: Limit, now: number): number {
  const each = emissionIntervalMs(limit)
  const wholeAt = Math.max(allowance.wholeAt, now) + each
  const waitMs = wholeAt - now - each * (limit.burst ?? limit.calls)
  if (waitMs > rounding) return waitMs
  allowance.wholeAt = wholeAt
  return 0
}

/** How many calls were taken that have not grown back, rounded up. */
export const takenFromAllowance = ({ wholeAt }: { wholeAt: number }, limit: Limit, now: number): number =>
  Math.max(0, Math.ceil((wholeAt - now) / emissionIntervalMs(limit) - rounding))

/** What each of so many replicas may grant when they cannot agree. */
export function replicaShareOf(limit: Limit, replicas: number): Limit {
  const burst = Math.max(1, (limit.burst ?? limit.calls) / replicas)
  return { calls: limit.calls / replicas, per: limit.per, burst }
}
