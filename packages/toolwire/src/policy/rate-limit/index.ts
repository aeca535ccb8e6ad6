import { withDeadline } from '../../bounds/deadline.js'
import { isCrowd, localUser } from '../../tools/caller.js'
import { checkLimit } from '../../tools/checks/check-limit.js'
import { checkOptions, type OptionHints, optionsOf } from '../../tools/checks/known-options.js'
import { Refusal } from '../../tools/refusal.js'
import type { Limit, ReadyTool, ToolCall } from '../../tools/tool.js'
import type { Policy } from '../policy.js'
import { type LimitStore, memoryLimits } from './store.js'

/** How often calls may be made. A tool's own `limit` goes before `tool` and `strangers`. */
export type RateLimitOptions = {
  /** For each caller and each tool; false for no such limit. */
  tool?: Limit | false
  /** For each tool, and all unverified callers together; if not said, the same as `tool`, and in `guard.rateLimit` ten times that. */
  strangers?: Limit | false
  /** For each tool, and the program on the other end of the pipe or in this process; the same as for any caller if not said. */
  local?: Limit | false
  /** For each caller, over all tools of a server. */
  caller?: Limit
  /** For all callers of a server together. */
  server?: Limit
  /** Where counts are kept: in this process, unless replicas share them. */
  store?: LimitStore
  now?: () => number
}

/** One allowance that a call is taken from. */
type Scope = {
  limitFor(call: ToolCall): Limit | undefined
  keyFor(call: ToolCall): string
  named(call: ToolCall): string
}
type LimitTerms = { readonly scopes: readonly Scope[]; readonly store: LimitStore; readonly now: () => number }

const strangersAreMany = 10

const known = optionsOf<RateLimitOptions>()('tool strangers caller server store local now')
const sayWhoseCalls = 'Say whose calls it counts: { caller: { calls, per } }, or tool, or server.'
const insteadOf: OptionHints = { calls: sayWhoseCalls, per: sayWhoseCalls, burst: sayWhoseCalls }

/** Strangers share one name, and so one allowance: a larger one. */
export const strangersLimit = ({ calls, per, burst = calls }: Limit): Limit => ({
  calls: calls * strangersAreMany,
  per,
  burst: burst * strangersAreMany,
})

/** Of one caller to one tool, or for one list, over HTTP: more than an honest client makes, and what stops a loop gone wild. */
export const defaultRateLimit: Limit = { calls: 3_000, per: 'minute' }

/** Milliseconds that a store may take to answer; what was not allowed by then is not. */
const patienceMs = 5_000

/**
 * Holds callers to their limits, by the generic cell rate algorithm. The narrowest limit is asked first.
 *
 * @example
 * ```ts
 * const policies = [rateLimit()]
 * ```
 */
export function rateLimit(options: RateLimitOptions = {}): Policy {
  checkOptions('`rateLimit`', options, known, insteadOf)
  const { store = memoryLimits(), now = () => performance.now() } = options
  const scopes = scopesOf(options)
  const terms = { scopes, store, now }
  const always = scopes.length > 1 || Boolean(options.tool || options.strangers || options.local)
  return {
    name: 'rate-limit',
    applies: ({ definition: { limit } }) => always || limit !== undefined,
    call(call, next) {
      // Coming back with an answer is no second call.
      const refusal = call.context.continued ? undefined : refusalOf(call, terms)
      if (refusal === undefined) return next(call)
      if (!(refusal instanceof Promise)) return Promise.reject(refusal)
      return refusal.then((settled) => (settled ? Promise.reject(settled) : next(call)))
    },
  }
}

/** Takes the call from every allowance that it counts for. Most stores answer at once, and then there is nothing to wait for. */
function refusalOf(call: ToolCall, limitTerms: LimitTerms, first = 0): Refusal | undefined | Promise<Refusal | undefined> {
  const now = limitTerms.now()
  for (let at = first; at < limitTerms.scopes.length; at++) {
    const scope = limitTerms.scopes[at] as Scope // within its length
    const limit = scope.limitFor(call)
    if (!limit) continue
    const waitMs = limitTerms.store.take(scope.keyFor(call), limit, now)
    if (typeof waitMs !== 'number')
      return withDeadline(patienceMs, waitMs).then((ms) =>
        ms === 0 ? refusalOf(call, limitTerms, at + 1) : rateLimited(scope.named(call), limit, ms),
      )
    if (waitMs !== 0) return rateLimited(scope.named(call), limit, waitMs)
  }
  return undefined
}

function scopesOf({ tool, strangers = tool, local = tool, caller, server }: RateLimitOptions): Scope[] {
  for (const [name, limit] of Object.entries({ tool, strangers, local, caller, server }))
    if (limit) checkLimit(limit, `rateLimit.${name}`)
  const ofTool: Scope = {
    limitFor({ tool: { definition }, caller: who }) {
      return definition.limit ?? ((who === localUser ? local : isCrowd(who) ? strangers : tool) || undefined)
    },
    // The last part may hold anything; the others cannot be taken for more than they are.
    keyFor: latestKeys((server, id, name) => `tool ${server?.length} ${name.length} ${server}${name}${id}`),
    named: (call) => `${call.tool.name} has`,
  }
  const ofCaller: Scope = {
    limitFor: () => caller,
    keyFor: latestKeys((server = '', id) => `caller ${server.length} ${server}${id}`),
    named: () => 'Tools have',
  }
  const ofServer: Scope = {
    limitFor: () => server,
    keyFor: latestKeys((name = '') => `server ${name}`),
    named: (call) => `${call.server ?? 'This server'} has`,
  }
  return [ofTool, ...(caller ? [ofCaller] : []), ...(server ? [ofServer] : [])]
}

/** Remembers the latest key of each tool, because making one, and looking it up by its letters, costs more than all the rest. */
function latestKeys(make: (server: string | undefined, id: string, tool: string) => string): Scope['keyFor'] {
  const latest = new WeakMap<ReadyTool, { server: string | undefined; id: string; key: string }>()
  return ({ tool, server, caller: { id } }) => {
    const known = latest.get(tool)
    if (known && known.id === id && known.server === server) return known.key
    const key = make(server, id, tool.name)
    latest.set(tool, { server, id, key })
    return key
  }
}

/** One allowance for each key: takes from it and gives 0, or says how many milliseconds to wait. */
export function localAllowance(limit: Limit, now: () => number = () => performance.now()): (key: string) => number {
  checkLimit(limit)
  const kept = memoryLimits()
  return (key) => kept.take(key, limit, now())
}

/** A store that did not say how long is no reason to let the call through. */
export function rateLimited(what: string, { calls, per }: Limit, waitMs: number): Refusal {
  const retryAfterMs = waitMs > 0 ? waitMs : 1_000
  const seconds = Math.ceil(retryAfterMs / 1_000)
  const why = `${what} been called too often (more than ${calls === 1 ? 'once' : `${calls} times`} a${per === 'hour' ? 'n' : ''} ${per}); try again in ${seconds} s`
  return new Refusal('rate-limited', why, { retryAfterMs })
}
