import type { Hints, JsonObject, Limit } from 'toolwire'
import type { ruleParts, sanitizing } from 'toolwire/relay'
import type { Secrets } from './secrets.js'
import type { NamedText } from './stored-config.js'
import type { UntrustedPart } from './trust/untrusted-parts.js'
import type { WrittenConfig } from './written-config.js'

/** How tokens are got for an upstream: a person logs in, by `toolwire login`. */
export type UpstreamLogin = {
  /** Each caller logs in, and is who calls; the gateway's own login is for what is listed. */
  readonly perUser: boolean
  /** The client that the gateway is registered as; it registers itself if not said. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** The authorization server that the client is registered with. */
  readonly issuer?: string
  /** Asked for besides those that the server wants. */
  readonly scopes?: readonly string[]
}

/** Where an upstream server is: a program to start, or an address. */
export type Target =
  | {
      readonly kind: 'child'
      readonly command: string
      readonly args: readonly string[]
      readonly env: { readonly [name: string]: string }
      readonly cwd?: string
    }
  | {
      readonly kind: 'http' | 'sse'
      readonly url: string
      readonly headers: { readonly [name: string]: string }
      readonly auth?: UpstreamLogin | 'none'
    }

/** What the operator says about one tool of an upstream. */
export type ToolOverride = {
  readonly rename?: string
  readonly hidden?: boolean
  readonly title?: string
  readonly description?: string
  /** Arguments that every call is made with; callers neither see nor choose them. */
  readonly arguments?: JsonObject
  readonly hints?: Hints
  /** The server need not have the tool. */
  readonly optional?: boolean
}

/** One upstream server. */
export type UpstreamConfig = {
  readonly id: string
  readonly disabled: boolean
  /** Opened when it is first needed. */
  readonly lazy: boolean
  /** Nothing of it is used until somebody accepts it; `target` says nothing. */
  readonly waits?: true
  /** Its hints are believed. */
  readonly trusted: boolean
  readonly target: Target
  /** One that comes with this package, and changes with it. */
  readonly example?: true
  readonly tools: { readonly [name: string]: ToolOverride }
  /** The tools that are offered; all of them if not said. */
  readonly only?: readonly string[]
  /** Those of `only` that need not fit any tool. */
  readonly optional?: readonly string[]
  /** Stands before the names of its tools; false leaves them as they are, which only a single upstream may have. */
  readonly prefix: string | false
  readonly timeout?: { readonly idleMs?: number; readonly totalMs?: number }
  /** The revisions to speak with the server; by default, every revision that both know. */
  readonly revision?: string | readonly string[]
}

/** How much the guard lets through. False switches a part off. */
export type GuardConfig = {
  /** For each caller and tool. */
  readonly rate: Limit | false
  /** For each caller and list. */
  readonly lists: Limit | false
  readonly sanitize: false | { readonly rules: Partial<sanitizing.SanitizeRules> }
  /** Changed tools, and those that are new on a known server, are withheld until someone accepts them; `strict`: all tools are. */
  readonly pins: boolean | 'strict'
  readonly approvals: boolean
  /** Calls that no rule decides about, to tools that only read as far as an untrusted server says: they run, or wait as all others do. */
  readonly readOnlyClaims: ruleParts.ReadOnlyClaims
  /** With `spool`, records wait on the local disk while the shared store is away, and calls that need nothing else of it go on. */
  readonly audit: boolean | { readonly spool?: boolean }
  /** Calls at once: in all, of one caller, to one upstream, and how many may wait for each upstream. */
  readonly inFlight: number
  readonly inFlightEach: number
  readonly inFlightUpstream: number
  readonly queue: number
}

/** Who approves a call: a person at a terminal, console or webhook; the caller's own client; or both, the client first. */
export type ApprovalAudience = (typeof approvalAudiences)[number]
export const approvalAudiences = ['console', 'caller', 'both'] as const

/** How people are asked about calls. */
export type ApprovalsConfig = {
  readonly ask: ApprovalAudience
  readonly waitMs: number
  /** How long a caller is kept before it is told to call again. */
  readonly holdMs: number
  readonly mostPending: number
}

/** Who may call. */
export type CallersConfig = {
  /** Programs on this machine need nothing to call. Managing takes a credential in any case. */
  readonly loopback: boolean
  readonly apiKeys: boolean
  readonly oauth?: {
    readonly issuer: string
    /** The address by which clients know this gateway. */
    readonly url?: string
    readonly audience?: string | readonly string[]
    /** Servers that a token for the gateway may name as well, or any. */
    readonly otherAudiences?: readonly string[] | 'any'
    readonly jwks?: string
    readonly scopes?: readonly string[]
  }
}

/** What clients need that call themselves so, by globs over their names, in upper or lower case. */
export type ClientsConfig = {
  readonly [client: string]: {
    /** Plain: no references, nothing combined at the root, no dialect named. */
    readonly schemas?: 'plain' | 'original'
  }
}

/** The page for people: an address of this machine, and a port that somebody asked for. */
export type ConsoleConfig = { readonly host: string; readonly port?: number }

export type LogLevel = (typeof logLevels)[number]
export const logLevels = ['debug', 'info', 'warning', 'error'] as const

/** How far a config is trusted that was found, or that brings in files which were. */
type ConfigTrust = {
  /** Was the config itself found? */
  readonly found: boolean
  /** Was anything of it accepted? */
  readonly known: boolean
  /** The file in which is kept what was accepted. */
  readonly store: string
  readonly waiting: readonly UntrustedPart[]
}

/** Everything the operator has decided, with what they left open filled in. */
export type GatewayConfig = {
  readonly upstreams: readonly UpstreamConfig[]
  /** Globs over the names callers see, by the name of the set. */
  readonly sets: { readonly [set: string]: readonly string[] }
  /** The file of rules; or the rules themselves, where they came from the database. */
  readonly policy?: string | NamedText
  readonly port: number
  readonly host: string
  /** Not there if not said, as for programs that start a gateway themselves. */
  readonly console?: ConsoleConfig | false
  /** What is said of clients here comes before what is known of them. */
  readonly clients?: ClientsConfig
  /** Names in `Host`, and web pages as origins, that are let in besides those of this machine. */
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly dataDir: string
  readonly logLevel: LogLevel
  readonly guard: GuardConfig
  readonly approvals: ApprovalsConfig
  /** How long audit records are kept; for ever if neither is said. */
  readonly retention: { readonly days?: number; readonly records?: number }
  /** Where signed heads of the log are kept besides: a file, or an address. */
  readonly witness?: { readonly to: string; readonly everyMs: number }
  readonly webhook?: { readonly url: string; readonly secret: string }
  readonly callers: CallersConfig
  /** A key that is taken besides those in the store. */
  readonly apiKey?: string
  readonly redisUrl?: string
  /** The PostgreSQL that gateways share; without it, everything is kept in the data directory. */
  readonly store?: string
  /** The file; undefined where none was found, and the gateway has a version of the database or shows its examples. */
  readonly source: string | undefined
  /** In the database, where it came from there. */
  readonly version?: number
  /** All files that it was made from, or would be if they were there. */
  readonly files: readonly string[]
  /** What was passed over. */
  readonly warnings: readonly string[]
  /** Where something of it was found and not named: what waits there until somebody accepts it. */
  readonly trust?: ConfigTrust
  /** Takes what must not be seen out of texts. */
  readonly secrets: Secrets
  /** Undefined for programs that start a gateway themselves. */
  readonly written?: WrittenConfig
}

/** Whether records wait on the local disk while the shared store is away. */
export const hasSpool = ({ guard: { audit } }: Pick<GatewayConfig, 'guard'>): boolean =>
  typeof audit === 'object' && audit.spool === true

export const defaultPort = 4180
export const defaultHost = '127.0.0.1'

export const defaultApprovals: ApprovalsConfig = { ask: 'console', waitMs: 300_000, holdMs: 45_000, mostPending: 100 }

export const defaultGuard: GuardConfig = {
  rate: { calls: 60, per: 'minute', burst: 20 },
  lists: { calls: 30, per: 'minute' },
  sanitize: { rules: {} },
  pins: true,
  approvals: true,
  readOnlyClaims: 'run',
  audit: true,
  inFlight: 2_000,
  inFlightEach: 64,
  inFlightUpstream: 32,
  queue: 256,
}
