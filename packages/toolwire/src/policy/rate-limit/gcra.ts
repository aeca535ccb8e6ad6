// The generic cell rate algorithm (GCRA): each allowance is one number, the moment at which it is full again.
import type { Limit } from '../../tools/tool.js'

const lengths = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** Tolerance in milliseconds for sums of fractions. Without it a rested caller could be refused. */
const rounding = 1e-6

/** Milliseconds until one used call is available again. */
export const emissionIntervalMs = ({ calls, per }: Limit): number => lengths[per] / calls

/** For stores that count in whole microseconds: the time until one call is available, and until all are. Rounded to grant no more. */
export function microsecondsOf(limit: Limit): [each: string, room: string] {
  const each = Math.ceil(emissionIntervalMs(limit) * 1_000)
  const room = Math.min(Math.floor(each * (limit.burst ?? limit.calls)), Number.MAX_SAFE_INTEGER)
  return [String(each), String(room)]
}

/** Takes one call from an allowance and returns 0, or returns the milliseconds to wait for one. */
export function takeFromAllowance(allowance: { wholeAt: number }, limit: Limit, now: number): number {
  const each = emissionIntervalMs(limit)
  const wholeAt = Math.max(allowance.wholeAt, now) + each
  const waitMs = wholeAt - now - each * (limit.burst ?? limit.calls)
  if (waitMs > rounding) return waitMs
  allowance.wholeAt = wholeAt
  return 0
}

/** Uses what is left of an allowance. */
export function drainAllowance(allowance: { wholeAt: number }, limit: Limit, now: number): void {
  allowance.wholeAt = Math.max(allowance.wholeAt, now + emissionIntervalMs(limit) * (limit.burst ?? limit.calls))
}

/** Number of used calls that are not available again yet, rounded up. */
export const usedOfAllowance = ({ wholeAt }: { wholeAt: number }, limit: Limit, now: number): number =>
  Math.max(0, Math.ceil((wholeAt - now) / emissionIntervalMs(limit) - rounding))

/** The share that each replica may grant when they cannot share a store. */
export function replicaShareOf(limit: Limit, replicas: number): Limit {
  const burst = Math.max(1, (limit.burst ?? limit.calls) / replicas)
  return { calls: limit.calls / replicas, per: limit.per, burst }
}
