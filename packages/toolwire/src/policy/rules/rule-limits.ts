import { withDeadline } from '../../bounds/deadline.js'
import type { ToolResult } from '../../tools/result.js'
import type { CallContext, Limit, ToolCall } from '../../tools/tool.js'
import type { Next, Policy } from '../policy.js'
import { rateLimited } from '../rate-limit/index.js'
import type { LimitStore } from '../rate-limit/store.js'
import { timeout } from '../timeout/index.js'
import type { Rule } from './rule-set.js'

/** Milliseconds that a limit store may take to answer. */
const patienceMs = 5_000

export type RuleLimits = ReturnType<typeof ruleLimitsIn>

/** The limits and timeouts of rules. Used allowances stay used when the rules are read again. */
export function ruleLimitsIn(store: LimitStore) {
  const timeouts = new Map<number, Policy>()

  function timeoutOf(ms: number): Policy {
    const policy = timeouts.get(ms) ?? timeout({ idleMs: ms, totalMs: ms })
    timeouts.set(ms, policy)
    return policy
  }

  return {
    /** Undefined if the call may go on at once. */
    admit(call: ToolCall, rules: readonly Rule[]): undefined | Promise<void> {
      if (call.context.continued) return undefined
      const slow: Promise<void>[] = []
      for (const { name, limit } of rules) {
        if (!limit) continue
        // The id may contain anything, so the length of the name keeps the two apart.
        const waitMs = store.take(`rule ${name.length} ${name}${call.caller.id}`, limit, performance.now())
        if (typeof waitMs === 'object') slow.push(waitMs.then((ms) => checkAllowance(call, limit, ms)))
        else checkAllowance(call, limit, waitMs)
      }
      return slow.length > 0 ? withDeadline(patienceMs, Promise.all(slow)).then(nothing) : undefined
    },
    /** Runs the call with the shortest timeout of the rules and the tool. */
    timed(call: ToolCall, rules: readonly Rule[], next: Next): Promise<ToolResult> {
      const limits = rules.flatMap((rule) => rule.timeout ?? [])
      if (limits.length === 0) return next(call)
      const { tool, context } = call
      const ms = Math.min(...limits, tool.definition.timeout ?? Number.POSITIVE_INFINITY)
      const limited = { ...call, tool: { ...tool, definition: { ...tool.definition, timeout: ms } } }
      const back: Next = (passed) => next({ ...passed, tool })
      shareClock(context)
      return timeoutOf(ms).call?.(limited, back) ?? back(limited)
    },
  }
}

/** Only 0 allows the call; an invalid number does not. */
function checkAllowance({ tool }: ToolCall, limit: Limit, waitMs: number): void {
  if (waitMs !== 0) throw rateLimited(`${tool.name} has`, limit, waitMs)
}

const nothing = () => undefined

type Clock = NonNullable<CallContext['clock']>

/**
 * Lets several countdowns run for one call, each of which hears all events. A countdown further in would otherwise replace ours, and ours
 * would go on while a person is being asked.
 */
function shareClock(context: CallContext): void {
  const clocks: Clock[] = context.clock ? [context.clock] : []
  const all: Clock = {
    heard(what) {
      for (const clock of clocks) clock.heard(what)
    },
  }
  Object.defineProperty(context, 'clock', {
    configurable: true,
    enumerable: true,
    get: () => (clocks.length > 0 ? all : undefined),
    set: (clock: CallContext['clock']) => {
      if (clock) clocks.push(clock)
    },
  })
}
