import type { JsonObject } from '../json.js'
import { isReplicaName } from '../peer/replica-ids.js'
import type { GuardOptions } from '../policy/guard.js'
import type { Policy } from '../policy/policy.js'
import { defaultRateLimit } from '../policy/rate-limit/index.js'
import type { LimitStore } from '../policy/rate-limit/store.js'
import { asJson } from '../revisions/encode/pick-members.js'
import { checkIcons } from '../tools/checks/check-content.js'
import { checkLimit } from '../tools/checks/check-limit.js'
import { definitionError } from '../tools/checks/definition-error.js'
import { checkOptions, optionsOf, withGiven } from '../tools/checks/known-options.js'
import { checkExtension } from '../tools/checks/meta-keys.js'
import { atLeast, either, oneOf, someObject } from '../tools/checks/option-values.js'
import type { Icon } from '../tools/content.js'
import type { Prompt } from '../tools/prompt.js'
import type { Resource, Template } from '../tools/resource.js'
import type { AnyTool, Limit, ReadyTool } from '../tools/tool.js'
import type { CacheHints } from './cache-hints.js'
import type { SharedChanges } from './lists/shared-changes.js'
import type { ToolViewFor } from './lists/tool-lists.js'
import type { SpentTickets } from './questions/spent-tickets.js'
import type { ServedFeatures } from './served-features.js'
import type { TaskStore } from './tasks/task-store.js'

/** The load that a server accepts, and the largest result. */
export type ServerLimits = {
  /** Concurrent requests; 2,000 by default. */
  readonly inFlight: number
  /** Concurrent requests of each known caller; 64 by default. */
  readonly inFlightEach: number
  /** Queued requests; 256 by default. */
  readonly queue: number
  /** Rate limit of each known caller for each list; 3,000 a minute over HTTP by default. All other callers together get ten times that. */
  readonly lists: Limit | false
  /** Rate limit of each caller per kind of read: resources, subscriptions to them, prompts, completions. Same default as `lists`. */
  readonly reads: Limit | false
  /** Bytes of one result; 4,190,000 by default, so that the message stays within 4 MiB. */
  readonly resultBytes: number
}

/** Tools by name. */
export type ToolSet = { readonly [name: string]: AnyTool }

/** The options of a server; only its name and version are required. */
export type ServerOptions<T extends ToolSet> = {
  name: string
  version: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: readonly Icon[]
  /** For the model: how to use this server's tools together. A function receives the tools that the caller may see. */
  instructions?: string | ((tools: readonly ReadyTool[]) => string | undefined)

  /** The keys are the names. */
  tools?: T
  resources?: { readonly [name: string]: Resource | Template }
  prompts?: { readonly [name: string]: Prompt }
  /** Lists tools in another way for some clients; calls stay the same. */
  showingFor?: ToolViewFor
  /** The features served at the moment, if they are known only at run time. */
  serves?: () => ServedFeatures
  /** Nothing will be added or removed later, so clients need not listen for changes. */
  fixed?: boolean

  /** The policies around every call. By default, calls are recorded in memory, authorized, validated, timed and sanitized; see `guard`. */
  guard?: GuardOptions
  /**
   * Your own policies, outermost first, inside the audit log and around all others. An `audit` or a `sanitize` replaces the default one.
   */
  policies?: readonly Policy[]
  /** Versions of the revisions to serve; all by default. */
  revisions?: readonly string[]
  /** `pocket` serves only the pocket digest of 2025-06-18. */
  profile?: 'official' | 'pocket'
  /** Entries per page of a list; 2,000 by default. */
  pageSize?: number
  /** Cache hints for lists and resources; no caching by default. */
  cache?: Partial<CacheHints>
  /** Sends `ctx.log` messages to clients. @deprecated Kept for older clients. */
  logging?: boolean
  /** Seals sessions, cursors and states; replicas must share it. For a rotation, list several: the first seals, all open. */
  secret?: string | readonly string[]
  /**
   * Names this replica among several with the same secret. Ids of its work in progress carry this name, so that the others can forward
   * requests about it (`replicas` of the HTTP handler). Letters, digits, `-` and `_`; use a new name at each start.
   */
  replica?: string
  /** Milliseconds that a call may be silent, and may last, unless its tool has its own `timeout`. */
  timeout?: { idleMs?: number; totalMs?: number }
  /** Milliseconds to wait for a person's answer. */
  questionTimeout?: number
  limits?: Partial<ServerLimits>
  /** Extensions to declare, by their prefixed names. */
  extensions?: { readonly [name: string]: JsonObject }
  /** Leaves the server's name out of results. */
  anonymousResults?: boolean
  /** Counts rate limits; replicas share one, such as `redisLimits` from `toolwire/redis`. */
  limitStore?: LimitStore
  taskStore?: TaskStore
  spentTickets?: SpentTickets
  /** Carries changes of lists, resources and tasks to the clients of all replicas. */
  sharedChanges?: SharedChanges
}

export type ServerGuard = Pick<ServerOptions<ToolSet>, 'guard' | 'policies' | 'limits'>

export type Settings = Readonly<ReturnType<typeof settingsOf>>

const day = 86_400_000

export function settingsOf(options: ServerOptions<ToolSet>) {
  const { name, version, title, description, websiteUrl, icons, instructions } = options
  if (!name || !version)
    throw definitionError("A server needs a name and a version: server({ name: 'shop', version: '1.0.0', … })")
  if (options.replica !== undefined && !isReplicaName(options.replica))
    throw definitionError('replica must be a name of 1 to 64 letters, digits, - and _')
  if (icons) checkIcons(icons)
  for (const id of Object.keys(options.extensions ?? {})) checkExtension(id)
  return {
    implementation: { name, version, title, description, websiteUrl, icons: icons?.map(asJson) },
    instructions: (tools: readonly ReadyTool[]) => (typeof instructions === 'function' ? instructions(tools) : instructions),
    instructsByTools: typeof instructions === 'function',
    fixed: options.fixed ?? false,
    logging: options.logging ?? false,
    pageSize: options.pageSize ?? 2_000,
    cache: cacheOf(options.cache),
    timeLimits: { idleMs: options.timeout?.idleMs ?? 60_000, totalMs: options.timeout?.totalMs ?? 300_000 },
    questionTimeoutMs: options.questionTimeout ?? 300_000,
    limits: limitsOf(options.limits),
    extensions: options.extensions ?? {},
    named: !options.anonymousResults,
  }
}

const knownLimits = optionsOf<ServerLimits>()({
  'inFlight inFlightEach queue resultBytes': atLeast(0),
  'lists reads': either(oneOf(false), someObject),
})

export function limitsOf(given: Partial<ServerLimits> = {}): ServerLimits {
  checkOptions('`limits`', given, knownLimits)
  const usual = { inFlight: 2_000, inFlightEach: 64, queue: 256, resultBytes: 4_190_000 }
  const { lists = defaultRateLimit, reads = defaultRateLimit } = given
  if (lists) checkLimit(lists, 'limits.lists')
  if (reads) checkLimit(reads, 'limits.reads')
  return withGiven({ ...usual, lists, reads }, given)
}

const cacheOf = ({ ttlMs = 0, scope = 'private' }: Partial<CacheHints> = {}): CacheHints => ({
  ttlMs: Math.min(ttlMs, day),
  scope,
})
