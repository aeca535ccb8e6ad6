import { Refusal } from '../tools/refusal.js'
import type { Limit } from '../tools/tool.js'
import type { Policy } from './policy.js'

const lengths = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
const mostKept = 100_000
/** Milliseconds that sums of fractions may be off; without it a rested caller could be sent away. */
const rounding = 1e-6

/**
 * Holds each caller to the tool's own `limit`, by the generic cell rate algorithm: one number a caller and tool, the moment at
 * which its allowance is whole again.
 */
export function rateLimit(now: () => number = () => performance.now()): Policy {
  const wholeAt = new Map<string, number>()
  return {
    name: 'rate-limit',
    applies: (tool) => tool.definition.limit !== undefined,
    async call(call, next) {
      const { limit } = call.tool.definition
      if (!limit || call.context.continued) return next(call)
      const waitMs = admit(wholeAt, `${call.caller.id}\n${call.tool.name}`, limit, now())
      if (waitMs > 0) throw limited(call.tool.name, waitMs)
      return next(call)
    },
  }
}

/** One allowance for each key: takes from it and gives 0, or says how many milliseconds to wait. */
export function allowance(limit: Limit, now: () => number = () => performance.now()): (key: string) => number {
  const wholeAt = new Map<string, number>()
  return (key) => admit(wholeAt, key, limit, now())
}

/** Takes one call from the allowance, or says how long to wait for it. */
function admit(wholeAt: Map<string, number>, key: string, limit: Limit, now: number): number {
  const period = lengths[limit.per]
  const each = period / limit.calls
  const whole = Math.max(wholeAt.get(key) ?? 0, now) + each
  const waitMs = whole - now - period
  if (waitMs > rounding) return waitMs
  wholeAt.delete(key)
  wholeAt.set(key, whole)
  if (wholeAt.size > mostKept) forgetWhole(wholeAt, now)
  return 0
}

/** An allowance that is whole again is the same as none noted. The oldest go first if that is not enough. */
function forgetWhole(wholeAt: Map<string, number>, now: number): void {
  for (const [key, whole] of wholeAt) if (whole <= now || wholeAt.size > mostKept) wholeAt.delete(key)
}

function limited(name: string, waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1_000)
  return new Refusal('rate-limited', `${name} has been called too often; try again in ${seconds} s`, { retryAfterMs: waitMs })
}
