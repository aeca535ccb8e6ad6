import { withDeadline } from '../../bounds/deadline.js'
import type { ToolResult } from '../../tools/result.js'
import type { CallContext, Limit, ReadyTool, ToolCall } from '../../tools/tool.js'
import type { Next, Policy } from '../policy.js'
import { rateLimited } from '../rate-limit/index.js'
import type { LimitStore } from '../rate-limit/store.js'
import { timeout } from '../timeout/index.js'
import type { Rule } from './rule-set.js'

/** Milliseconds that a store of allowances may take to answer. */
const patienceMs = 5_000

/** The limits and timeouts of rules. What callers have used up stays used up when the rules are read anew. */
export class RuleLimits {
  readonly #store: LimitStore
  readonly #timeouts = new Map<number, Policy>()

  constructor(store: LimitStore) {
    this.#store = store
  }

  /** Undefined when the call may go on at once. */
  admit(call: ToolCall, rules: readonly Rule[]): undefined | Promise<void> {
    if (call.context.continued) return undefined
    const slow: Promise<void>[] = []
    for (const { name, limit } of rules) {
      if (!limit) continue
      // The id may hold anything; the name cannot be taken for more than it is.
      const waitMs = this.#store.take(`rule ${name.length} ${name}${call.caller.id}`, limit, performance.now())
      if (typeof waitMs === 'object') slow.push(waitMs.then((ms) => checkAllowance(call, limit, ms)))
      else checkAllowance(call, limit, waitMs)
    }
    return slow.length > 0 ? withDeadline(patienceMs, Promise.all(slow)).then(nothing) : undefined
  }

  /** Goes on for as long as the rules allow. */
  timed(call: ToolCall, rules: readonly Rule[], next: Next): Promise<ToolResult> {
    if (!rules.some((rule) => rule.timeout !== undefined)) return next(call)
    const limits = rules.flatMap((rule) => rule.timeout ?? [])
    const ms = Math.min(...limits, call.tool.definition.timeout ?? Number.POSITIVE_INFINITY)
    const back: Next = (passed) => next({ ...passed, tool: call.tool })
    shareClock(call.context)
    return this.#timeout(ms)({ ...call, tool: withTimeout(call.tool, ms) }, back)
  }

  #timeout(ms: number): NonNullable<Policy['call']> {
    const policy = this.#timeouts.get(ms) ?? timeout({ idleMs: ms, totalMs: ms })
    this.#timeouts.set(ms, policy)
    return (call, next) => policy.call?.(call, next) ?? next(call)
  }
}

const withTimeout = (tool: ReadyTool, ms: number): ReadyTool => ({ ...tool, definition: { ...tool.definition, timeout: ms } })

/** What is no number of milliseconds is no leave either. */
function checkAllowance({ tool }: ToolCall, limit: Limit, waitMs: number): void {
  if (waitMs !== 0) throw rateLimited(`${tool.name} has`, limit, waitMs)
}

const nothing = () => undefined

type Clock = NonNullable<CallContext['clock']>

/**
 * Lets several clocks run for one call: each that is set hears what the ones before it hear. A clock further in would otherwise
 * take the place of ours, and ours would go on while a person is being asked.
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
