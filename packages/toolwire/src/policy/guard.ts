import type { TimeLimits } from '../bounds/countdown.js'
import { checkOptions, type OptionHints, optionsOf, withGiven } from '../tools/checks/known-options.js'
import { atLeast, either, oneOf, someObject } from '../tools/checks/option-values.js'
import type { Limit } from '../tools/tool.js'
import { access } from './access/index.js'
import { type ApproveOptions, checkApproveOptions } from './approve/approve-options.js'
import { type AuditOptions, type AuditPolicy, audit } from './audit/index.js'
import type { AuditLog } from './audit/log.js'
import { memoryAudit } from './audit/memory-log.js'
import type { RecordKeeper } from './audit/record-keeper.js'
import { type ConcurrencyOptions, concurrency } from './concurrency/index.js'
import type { Policy } from './policy.js'
import { defaultRateLimit, type RateLimitOptions, rateLimit, strangersLimit } from './rate-limit/index.js'
import { isAskedByRule } from './rules/ask-mark.js'
import type { RulesPolicy } from './rules/index.js'
import { type SanitizeOptions, sanitize } from './sanitize/index.js'
import { timeout } from './timeout/index.js'
import { validate } from './validate/index.js'

/** Options of `guard`. The policies that every call needs are on; `false` switches off a single one. */
export type GuardOptions = {
  /** Audit log of the calls; in memory by default. */
  audit?: AuditOptions | false
  /** Restricts tools that require scopes to callers that hold them. */
  access?: false
  /** Limits of tools without one of their own: 3,000 calls a minute per tool and caller over HTTP, 1,000,000 for a local program. */
  rateLimit?: RateLimitOptions | false
  /** Limits of a call's silence and of its duration; 60 s and 300 s by default. */
  timeout?: TimeLimits | false
  /** Checks arguments against the tool's schema. Without this check, handlers receive them as they are. */
  validate?: false
  sanitize?: SanitizeOptions | false

  /** `observe()` from `toolwire/observe`. */
  observe?: Policy
  /** `pin()`: refuses tools whose definition has changed. */
  pin?: Policy
  /** `rules()` from `toolwire/rules`. */
  rules?: RulesPolicy
  /** Approver of calls. The rules select the calls; without rules, every tool that may change something needs an approval. */
  approve?: ApproveOptions
  /** Limit of concurrent calls. Several servers may share one `concurrency()` policy. */
  concurrency?: ConcurrencyOptions | Policy
}

const known = optionsOf<GuardOptions>()({
  'audit rateLimit timeout sanitize': either(oneOf(false), someObject),
  'access validate': oneOf(false),
  'observe pin rules approve concurrency': someObject,
})
const timeLimits = optionsOf<TimeLimits>()({ 'idleMs totalMs': atLeast(0) })
const insteadOf: OptionHints = {
  limit: 'Write `rateLimit`.',
  scopes: 'Scopes belong in the tools: tool({ scopes: […], … }).',
  policies: 'Write them beside `guard`: policies: […].',
  approval: 'Write `approve`.',
}

/** Limit for the process that started this one, and for a client's own calls. It is high, because such programs make many calls. */
const localLimit: Limit = { calls: 1_000_000, per: 'minute', burst: 100_000 }
const usualTime: TimeLimits = { idleMs: 60_000, totalMs: 300_000 }

/**
 * Returns the policies in the recommended order, outermost first. The calls that policies in `own` refuse are recorded, and these policies
 * refuse before all others. Policies that hide a tool come before those that could reveal it, and cheap refusals before expensive ones. A
 * person is asked last, about a call that would be made.
 *
 * @example
 * ```ts
 * const policies = guard({ audit: { log: memoryAudit() } })
 * ```
 */
export function guard(options: GuardOptions = {}, own: readonly Policy[] = []): readonly Policy[] {
  checkOptions('`guard`', options, known, insteadOf)
  checkOptions('`guard.timeout`', options.timeout || undefined, timeLimits)
  checkApproveOptions('`guard.approve`', options.approve)
  const { observe, pin, rules, concurrency: most } = options
  const policies = [
    observe,
    options.audit !== false && audit(options.audit ?? { log: memoryAudit() }),
    ...own,
    options.access !== false && access(),
    rateLimit(rateLimitOptions(options.rateLimit || { tool: options.rateLimit })),
    pin,
    options.approve ? rules?.later() : rules,
    options.validate !== false && validate(),
    options.approve && lazyApprove(approveOptionsFor(options.approve, rules)),
    // After the approval, which checks a given input again.
    options.validate === false && skipValidation,
    options.timeout !== false && timeout(withGiven(usualTime, options.timeout)),
    most && ('name' in most ? most : concurrency(most)),
    options.sanitize !== false && sanitize(options.sanitize),
  ]
  return policies.filter((policy) => typeof policy === 'object')
}

/** Loads `approve` with the first call, because servers without an approver start sooner without it. */
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

/** Takes the place of `validate` if nothing is validated. */
export const skipValidation: Policy = { name: 'as-given', call: (call, next) => next({ ...call, input: call.arguments }) }

/** Policies, and the audit log that they write to. */
export type GuardedPolicies = {
  readonly policies: readonly Policy[]
  readonly audit: AuditLog | undefined
  /** Writes the records of reads, for each `audit` among the policies. */
  readonly records: readonly RecordKeeper[]
}

/** Like `guard`, for a server or a client that shows its log. If `own` has an `audit` or a `sanitize`, no second one is added. */
export function guardWithLog({ audit: given, ...options }: GuardOptions, own: readonly Policy[] = []): GuardedPolicies {
  const has = (policy: string) => own.some(({ name }) => name === policy)
  const recording = given ?? (has('audit') ? false : { log: memoryAudit() })
  const cleaning = options.sanitize ?? (has('sanitize') ? false : {})
  const policies = guard({ ...options, audit: recording, sanitize: cleaning }, own)
  const records = policies.flatMap((policy) => (isAudit(policy) ? policy.records : []))
  return { policies, audit: recording ? recording.log : undefined, records }
}

const isAudit = (policy: Policy): policy is AuditPolicy => policy.name === 'audit' && 'records' in policy

/** A tool's own rate limit holds even if `rateLimit` is false. */
function rateLimitOptions({ tool, ...rest }: RateLimitOptions): RateLimitOptions {
  const all = tool ?? defaultRateLimit
  return withGiven<RateLimitOptions>({ tool: all, strangers: all && strangersLimit(all), local: tool ?? localLimit }, rest)
}

/** Rules decide which calls need an approval; without rules, every tool that may change something does. */
const approveOptionsFor = (given: ApproveOptions, rules: RulesPolicy | undefined): ApproveOptions =>
  rules ? withGiven({ ask: given.ask, when: isAskedByRule, version: () => rules.version }, given) : given
