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
import { checkExtension } from '../tools/checks/meta-keys.js'
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

/** How much a server takes on, and how large a result may be. */
export type ServerLimits = {
  /** Requests at once; 2,000 if not said. */
  readonly inFlight: number
  /** Requests at once of each known caller; 64 if not said. */
  readonly inFlightEach: number
  /** Requests that may wait for their turn; 256 if not said. */
  readonly queue: number
  /**
   * How often each known caller may ask for each list; 3,000 times a minute over HTTP if not said. All others together get ten times that.
   */
  readonly lists: Limit | false
  /** The same for readings of resources and requests to hear of them, for prompts and for completions: for each caller and each of these. */
  readonly reads: Limit | false
  /** Bytes that the result of one call may take; 4,190,000 if not said, so that the message stays within 4 MiB. */
  readonly resultBytes: number
}

/** Tools by the names they are called by. */
export type ToolSet = { readonly [name: string]: AnyTool }

/** Everything that can be said about a server; only its name and version must be. */
export type ServerOptions<T extends ToolSet> = {
  name: string
  version: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: readonly Icon[]
  /** For the model: how to use this server's tools together; or made of the tools that the caller may see. */
  instructions?: string | ((tools: readonly ReadyTool[]) => string | undefined)

  /** Named by their keys. */
  tools?: T
  resources?: { readonly [name: string]: Resource | Template }
  prompts?: { readonly [name: string]: Prompt }
  /** Clients that are to be shown the tools in another way; what is called stays the same. */
  showingFor?: ToolViewFor
  /** What of these there is now, where that is known only while the server runs. */
  serves?: () => ServedFeatures
  /** Nothing will be added or removed later, so clients need not listen for changes. */
  fixed?: boolean

  /** What stands around every call. Without it calls are recorded in memory, admitted, validated, timed and cleaned; see `guard`. */
  guard?: GuardOptions
  /** Your own, recorded and around all other policies, outermost first. An `audit` or a `sanitize` takes the place of the usual one. */
  policies?: readonly Policy[]
  /** The revisions to speak, by version; all of them if not said. */
  revisions?: readonly string[]
  /** `pocket` speaks the pocket digest of 2025-06-18 and nothing else. */
  profile?: 'official' | 'pocket'
  /** Entries on one page of a list; 2,000 if not said. */
  pageSize?: number
  /** How long clients may keep lists and readings, and whether for everybody; not at all if not said. */
  cache?: Partial<CacheHints>
  /** Lets clients hear `ctx.log`. @deprecated Kept for older clients. */
  logging?: boolean
  /** Seals sessions, cursors and states; replicas need the same one. Several, to change it: the first seals, all open. */
  secret?: string | readonly string[]
  /**
   * Names this replica among several with the same secret: in the ids of what it has under way, so that the others can pass on what
   * is about it (`replicas` of the HTTP handler). Letters, digits, `-` and `_`; another one with each start.
   */
  replica?: string
  /** Milliseconds a call may be silent, and may last, unless its tool has a `timeout` of its own. */
  timeout?: { idleMs?: number; totalMs?: number }
  /** Milliseconds to wait for a person's answer. */
  questionTimeout?: number
  limits?: Partial<ServerLimits>
  /** Extensions to declare, by their prefixed names. */
  extensions?: { readonly [name: string]: JsonObject }
  /** Leaves the server's name out of results. */
  anonymousResults?: boolean
  /** Where limits are counted; replicas share one, such as `redisLimits` from `toolwire/redis`. */
  limitStore?: LimitStore
  taskStore?: TaskStore
  spentTickets?: SpentTickets
  /** Carries changes of lists, resources and tasks to the clients of all replicas. */
  sharedChanges?: SharedChanges
}

/** What stands around every call of a server. */
export type ServerGuard = Pick<ServerOptions<ToolSet>, 'guard' | 'policies' | 'limits'>

/** The options with everything filled in. */
export type Settings = Readonly<ReturnType<typeof settingsOf>>

const day = 86_400_000

export function settingsOf(options: ServerOptions<ToolSet>) {
  const { name, version, title, description, websiteUrl, icons, instructions } = options
  if (!name || !version)
    throw definitionError("A server needs a name and a version: server({ name: 'shop', version: '1.0.0', … })")
  if (options.replica !== undefined && !isReplicaName(options.replica))
    throw definitionError('replica is a name of 1 to 64 letters, digits, - and _')
  if (icons) checkIcons(icons)
  for (const id of Object.keys(options.extensions ?? {})) checkExtension(id)
  return {
    implementation: { name, version, title, description, websiteUrl, icons: icons?.map(asJson) },
    instructions: (tools: readonly ReadyTool[]) => (typeof instructions === 'function' ? instructions(tools) : instructions),
    fixed: options.fixed ?? false,
    logging: options.logging ?? false,
    pageSize: atLeastOne('pageSize', options.pageSize ?? 2_000),
    cache: cacheOf(options.cache),
    timeLimits: { idleMs: options.timeout?.idleMs ?? 60_000, totalMs: options.timeout?.totalMs ?? 300_000 },
    questionTimeoutMs: options.questionTimeout ?? 300_000,
    limits: limitsOf(options.limits),
    extensions: options.extensions ?? {},
    named: !options.anonymousResults,
  }
}

export function limitsOf(given: Partial<ServerLimits> = {}): ServerLimits {
  const usual = { inFlight: 2_000, inFlightEach: 64, queue: 256, resultBytes: 4_190_000 }
  const { lists = defaultRateLimit, reads = defaultRateLimit } = given
  if (lists) checkLimit(lists, 'limits.lists')
  if (reads) checkLimit(reads, 'limits.reads')
  return { ...usual, ...given, lists, reads }
}

function cacheOf({ ttlMs = 0, scope = 'private' }: Partial<CacheHints> = {}): CacheHints {
  if (!(Number.isInteger(ttlMs) && ttlMs >= 0)) throw definitionError('cache.ttlMs is a whole number of milliseconds, 0 or more')
  if (scope !== 'public' && scope !== 'private') throw definitionError("cache.scope is 'public' or 'private'")
  return { ttlMs: Math.min(ttlMs, day), scope }
}

function atLeastOne(name: string, value: number): number {
  if (!(Number.isInteger(value) && value >= 1)) throw definitionError(`${name} is a whole number, 1 or more`)
  return value
}
