import type { TimeLimits } from '../bounds/countdown.js'
import { checkOptions, type OptionHints, optionsOf } from '../tools/checks/known-options.js'
import type { Limit } from '../tools/tool.js'
import { access } from './access/index.js'
import type { ApproveOptions } from './approve/index.js'
import { type AuditOptions, audit } from './audit/index.js'
import type { AuditLog } from './audit/log.js'
import { memoryAudit } from './audit/memory-log.js'
import { type ConcurrencyOptions, concurrency } from './concurrency/index.js'
import type { Policy } from './policy.js'
import { defaultRateLimit, type RateLimitOptions, rateLimit, strangersLimit } from './rate-limit/index.js'
import { isAskedByRule } from './rules/ask-mark.js'
import type { RulesPolicy } from './rules/index.js'
import { type SanitizeOptions, sanitize } from './sanitize/index.js'
import { timeout } from './timeout/index.js'
import { validate } from './validate/index.js'

/** How calls are guarded. What every call needs is on; `false` switches off the one thing that it is said of. */
export type GuardOptions = {
  /** Where calls are recorded: in memory if not said. */
  audit?: AuditOptions | false
  /** Tools that ask for scopes are for those who hold them. */
  access?: false
  /** How often calls may be made, where a tool has no limit of its own: 3,000 a minute for each tool and caller over HTTP if not said,
   * and 1,000,000 for the program on a pipe or in this process. */
  rateLimit?: RateLimitOptions | false
  /** How long calls may be silent and may last: 60 s and 300 s if not said. */
  timeout?: TimeLimits | false
  /** Arguments must fit the tool's schema; otherwise handlers take them as they come. */
  validate?: false
  /** What is taken out of results. */
  sanitize?: SanitizeOptions | false

  /** `observe()` from `toolwire/observe`. */
  observe?: Policy
  /** `pin()`: refuses tools that are no longer what they were. */
  pin?: Policy
  /** `rules()` from `toolwire/rules`. */
  rules?: RulesPolicy
  /** Who says yes or no to a call; asked about what the rules say, and without rules about all that may change something. */
  approve?: ApproveOptions
  /** How many calls may be made at once; a `concurrency()` of your own may stand in several servers. */
  concurrency?: ConcurrencyOptions | Policy
}

const known = optionsOf<GuardOptions>()('audit access rateLimit timeout validate sanitize observe pin rules approve concurrency')
const timeLimits = optionsOf<TimeLimits>()('idleMs totalMs')
const approveOptions = optionsOf<ApproveOptions>()('ask remember when version current waitMs mostPending name')
const insteadOf: OptionHints = {
  limit: 'Write `rateLimit`.',
  scopes: 'Scopes stand in the tools: tool({ scopes: […], … }).',
  policies: 'Write them beside it: policies: […].',
  approval: 'Write `approve`.',
}

/** For who started this process, and for a client's own calls: such a program may work through as much as it likes. */
const localLimit: Limit = { calls: 1_000_000, per: 'minute', burst: 100_000 }
const usualTime: TimeLimits = { idleMs: 60_000, totalMs: 300_000 }

/**
 * The policies in the order that is recommended, outermost first; `own` stand where they are recorded and may refuse before anything
 * else does. What hides a tool stands before what could give it away, what refuses cheaply before what costs, and a person is asked
 * last, about a call that would be made.
 *
 * @example
 * ```ts
 * const policies = guard({ audit: { log: memoryAudit() } })
 * ```
 */
export function guard(options: GuardOptions = {}, own: readonly Policy[] = []): readonly Policy[] {
  checkOptions('`guard`', options, known, insteadOf)
  checkOptions('`guard.timeout`', options.timeout, timeLimits)
  checkOptions('`guard.approve`', options.approve, approveOptions)
  const { observe, pin, rules, concurrency: most } = options
  const policies = [
    observe,
    options.audit !== false && audit(options.audit ?? { log: memoryAudit() }),
    ...own,
    options.access !== false && access(),
    rateLimit(rateLimitOptions(options.rateLimit || { tool: options.rateLimit })),
    pin,
    options.approve ? rules?.later() : rules,
    options.validate === false ? skipValidation : validate(),
    options.approve && lazyApprove(approveOptionsFor(options.approve, rules)),
    options.timeout !== false && timeout(options.timeout ?? usualTime),
    most && ('name' in most ? most : concurrency(most)),
    options.sanitize !== false && sanitize(options.sanitize),
  ]
  return policies.filter((policy) => typeof policy === 'object')
}

/** Loaded with the first call, because most servers have nobody to ask and all of them start sooner without it. */
function lazyApprove(options: ApproveOptions): Policy {
  const load = async () => (await import('./approve/index.js')).approve(options)
  let made: Promise<Policy> | undefined
  return {
    name: 'approve',
    async call(call, next) {
      made ??= load()
      const policy = await made
      return policy.call ? policy.call(call, next) : next(call)
    },
  }
}

/** Stands where nothing is validated. */
export const skipValidation: Policy = { name: 'as-given', call: (call, next) => next({ ...call, input: call.arguments }) }

/** Policies, and where they record calls. */
export type GuardedPolicies = { readonly policies: readonly Policy[]; readonly audit: AuditLog | undefined }

/** The same, for a server or a client that shows its log. Where `own` has an `audit` or a `sanitize`, there is no second one. */
export function guardWithLog({ audit: given, ...options }: GuardOptions, own: readonly Policy[] = []): GuardedPolicies {
  const has = (policy: string) => own.some(({ name }) => name === policy)
  const recording = given ?? (has('audit') ? false : { log: memoryAudit() })
  const cleaning = options.sanitize ?? (has('sanitize') ? false : {})
  const policies = guard({ ...options, audit: recording, sanitize: cleaning }, own)
  return { policies, audit: recording ? recording.log : undefined }
}

/** A tool's own limit holds in any case. */
function rateLimitOptions({ tool, ...rest }: RateLimitOptions): RateLimitOptions {
  const all = tool ?? defaultRateLimit
  return { tool: all, strangers: all && strangersLimit(all), local: tool ?? localLimit, ...rest }
}

/** Rules decide which calls need an approval; without rules, every tool that may change something does. */
const approveOptionsFor = (given: ApproveOptions, rules: RulesPolicy | undefined): ApproveOptions =>
  rules ? { when: isAskedByRule, version: () => rules.version, ...given } : given
