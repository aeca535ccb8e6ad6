import { withDeadline } from '../../bounds/deadline.js'
import { isCrowd, localUser } from '../../tools/caller.js'
import { checkLimit } from '../../tools/checks/check-limit.js'
import { checkOptions, type OptionHints, optionsOf } from '../../tools/checks/known-options.js'
import { either, oneOf, someFunction, someObject } from '../../tools/checks/option-values.js'
import { Refusal } from '../../tools/refusal.js'
import type { Limit, ReadyTool, ToolCall } from '../../tools/tool.js'
import type { Policy } from '../policy.js'
import { type LimitStore, memoryLimits } from './store.js'

/** Options of `rateLimit`. A tool's own `limit` goes before `tool`, `strangers` and `local`. */
export type RateLimitOptions = {
  /** Limit for each caller and each tool; false for none. */
  tool?: Limit | false
  /** Limit for each tool and all unverified callers together. By default the same as `tool`, and in `guard.rateLimit` ten times that. */
  strangers?: Limit | false
  /** Limit for each tool and the program on the other end of the pipe or in this process. By default the same as `tool`. */
  local?: Limit | false
  /** Limit for each caller, over all tools of a server. */
  caller?: Limit
  /** Limit for all callers of a server together. */
  server?: Limit
  /** Store of the allowances; in this process by default. Replicas can share one. */
  store?: LimitStore
  now?: () => number
}

/** One limit that a call counts against. */
type Scope = {
  limitFor(call: ToolCall): Limit | undefined
  keyFor(call: ToolCall): string
  named(call: ToolCall): string
}
type LimitTerms = { readonly scopes: readonly Scope[]; readonly store: LimitStore; readonly now: () => number }

const strangersFactor = 10

const known = optionsOf<RateLimitOptions>()({
  'tool strangers local': either(oneOf(false), someObject),
  'caller server store': someObject,
  now: someFunction,
})
const sayWhoseCalls = 'Say whose calls it counts: { caller: { calls, per } }, or tool, or server.'
const insteadOf: OptionHints = { calls: sayWhoseCalls, per: sayWhoseCalls, burst: sayWhoseCalls }

/** Unverified callers share one name, and so one allowance, which is larger. */
export const strangersLimit = ({ calls, per, burst = calls }: Limit): Limit => ({
  calls: calls * strangersFactor,
  per,
  burst: burst * strangersFactor,
})

/** Limit per caller and tool, or list, over HTTP: more than an honest client needs, and low enough to stop a runaway loop. */
export const defaultRateLimit: Limit = { calls: 3_000, per: 'minute' }

/** Milliseconds that a store may take to answer. A call that is not allowed by then is refused. */
export const patienceMs = 5_000

/**
 * Limits how often callers may call, by the generic cell rate algorithm. The narrowest limit is checked first.
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
      // A call that comes back with an answer is not a second call.
      const refusal = call.context.continued ? undefined : refusalOrFailure(call, terms)
      if (refusal === undefined) return next(call)
      if (!(refusal instanceof Promise)) return Promise.reject(refusal)
      return refusal.then((settled) => (settled ? Promise.reject(settled) : next(call)), rejectUnchecked)
    },
  }
}

function refusalOrFailure(call: ToolCall, terms: LimitTerms): ReturnType<typeof refusalOf> {
  try {
    return refusalOf(call, terms)
  } catch (thrown) {
    return rejectUnchecked(thrown)
  }
}

const rejectUnchecked = (thrown: unknown) => Promise.reject(thrown instanceof Refusal ? thrown : limitUnchecked(thrown))

/** The call was not made, because a store of limits has failed. */
export const limitUnchecked = (cause: unknown, retryAfterMs = 1_000): Refusal =>
  new Refusal('busy', 'The rate limit could not be checked, so the call was not made. Try again later.', { cause, retryAfterMs })

/** Takes the call from each of its allowances, and returns a refusal if one is used up. Most stores answer synchronously. */
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
    // The last part may contain anything; the lengths keep the other parts apart.
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

/** Caches the latest key of each tool, because making a key, and looking it up by its letters, costs more than all the rest. */
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

/** Returns a function that takes one call from the allowance of a key, and returns 0 or the milliseconds to wait. */
export function localAllowance(limit: Limit, now: () => number = () => performance.now()): (key: string) => number {
  checkLimit(limit)
  const kept = memoryLimits()
  return (key) => kept.take(key, limit, now())
}

/** A store that returned an invalid time does not let the call through. */
export function rateLimited(what: string, { calls, per }: Limit, waitMs: number): Refusal {
  const retryAfterMs = waitMs > 0 ? waitMs : 1_000
  const seconds = Math.ceil(retryAfterMs / 1_000)
  const why = `${what} been called too often (more than ${calls === 1 ? 'once' : `${calls} times`} a${per === 'hour' ? 'n' : ''} ${per}); try again in ${seconds} s`
  return new Refusal('rate-limited', why, { retryAfterMs })
}
