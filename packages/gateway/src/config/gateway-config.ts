import type { Hints, JsonObject, Limit } from 'toolwire'
import type { ruleParts, sanitizing } from 'toolwire/relay'
import type { Secrets } from './secrets.js'
import type { NamedText } from './stored-config.js'
import type { UntrustedPart } from './trust/untrusted-parts.js'
import type { WrittenConfig } from './written-config.js'

/** The OAuth login for an upstream, which a person completes with `toolwire login`. */
export type UpstreamLogin = {
  /** Each caller logs in, and calls with their own login. The gateway's own login only serves the lists. */
  readonly perUser: boolean
  /** The client id of the gateway; without one, the gateway registers itself. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** The authorization server that the client is registered with. */
  readonly issuer?: string
  /** Scopes requested in addition to those that the server wants. */
  readonly scopes?: readonly string[]
}

/** The location of an upstream server: a program to start, or a URL. */
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

/** The operator's settings for one tool of an upstream. */
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

/** The config of one upstream server. */
export type UpstreamConfig = {
  readonly id: string
  readonly disabled: boolean
  /** Connected on first use. */
  readonly lazy: boolean
  /** Not used until a person accepts it; `target` is a placeholder. */
  readonly waits?: true
  /** The server's hints are trusted. */
  readonly trusted: boolean
  readonly target: Target
  /** An example that ships with this package, and changes with it. */
  readonly example?: true
  readonly tools: { readonly [name: string]: ToolOverride }
  /** The tools that are offered; all tools if undefined. */
  readonly only?: readonly string[]
  /** Patterns in `only` that need not match a tool. */
  readonly optional?: readonly string[]
  /** Prefix of its tool names; false leaves the names unchanged, which only a single upstream may do. */
  readonly prefix: string | false
  readonly timeout?: { readonly idleMs?: number; readonly totalMs?: number }
  /** The revisions to speak with the server; by default, every revision that both know. */
  readonly revision?: string | readonly string[]
}

/** Limits and checks of the guard. False switches one off. */
export type GuardConfig = {
  /** Rate limit for each caller and tool. */
  readonly rate: Limit | false
  /** Rate limit for each caller and list. */
  readonly lists: Limit | false
  readonly sanitize: false | { readonly rules: Partial<sanitizing.SanitizeRules> }
  /** Withholds changed tools, and new tools of known servers, until a person accepts them; `strict` withholds all tools. */
  readonly pins: boolean | 'strict'
  readonly approvals: boolean
  /** Calls that match no rule, to tools that an untrusted server declares read-only: they run, or wait for approval like all others. */
  readonly readOnlyClaims: ruleParts.ReadOnlyClaims
  /** With `spool`, audit records wait on the local disk while the shared store is unavailable. Calls that do not need the store go on. */
  readonly audit: boolean | { readonly spool?: boolean }
  /** Concurrent calls in total, of one caller and to one upstream, and the calls that may queue for each upstream. */
  readonly inFlight: number
  readonly inFlightEach: number
  readonly inFlightUpstream: number
  readonly queue: number
}

/** The approvers of a call: a person at a terminal, console or webhook; the caller's own client; or both, the client first. */
export type ApprovalAudience = (typeof approvalAudiences)[number]
export const approvalAudiences = ['console', 'caller', 'both'] as const

export type ApprovalsConfig = {
  readonly ask: ApprovalAudience
  readonly waitMs: number
  /** Time that a caller waits for a decision before it is told to call again. */
  readonly holdMs: number
  readonly mostPending: number
}

export type CallersConfig = {
  /** Programs on this machine may call without a credential. Management always requires one. */
  readonly loopback: boolean
  readonly apiKeys: boolean
  readonly oauth?: {
    readonly issuer: string
    /** The address by which clients know this gateway. */
    readonly url?: string
    readonly audience?: string | readonly string[]
    /** Other audiences that a token for the gateway may name as well, or any. */
    readonly otherAudiences?: readonly string[] | 'any'
    readonly jwks?: string
    readonly scopes?: readonly string[]
  }
}

/** Adaptations to clients, by case-insensitive globs over the clients' names. */
export type ClientsConfig = {
  readonly [client: string]: {
    /** Plain: no references, nothing combined at the root, no dialect named. */
    readonly schemas?: 'plain' | 'original'
  }
}

/** The address of the console, and its port if one was configured. */
export type ConsoleConfig = { readonly host: string; readonly port?: number }

export type LogLevel = (typeof logLevels)[number]
export const logLevels = ['debug', 'info', 'warning', 'error'] as const

/** The trust in a config that was discovered, or that imports discovered files. */
type ConfigTrust = {
  /** Was the config itself discovered, and not named? */
  readonly found: boolean
  /** Was any part of the config accepted? */
  readonly known: boolean
  /** The file that records what was accepted. */
  readonly store: string
  readonly waiting: readonly UntrustedPart[]
}

/** Rules whose text is given. `isFile`: they were read from the file of that name, and other text waits for acceptance. */
export type PolicyText = NamedText & { readonly isFile?: true }

/** The whole config: the operator's settings, with defaults for the rest. */
export type GatewayConfig = {
  readonly upstreams: readonly UpstreamConfig[]
  /** Globs over the names that callers see, by the name of the set. */
  readonly sets: { readonly [set: string]: readonly string[] }
  /** Globs over the command lines that may be started; undefined allows all. */
  readonly commands?: readonly string[]
  /** The files and hosts whose servers are added. */
  readonly import?: readonly string[]
  /** The path of the policy file, or the rules themselves if they come from the database or were named by a discovered config. */
  readonly policy?: string | PolicyText
  readonly port: number
  readonly host: string
  /** May be undefined where a program starts the gateway itself. */
  readonly console?: ConsoleConfig | false
  /** Adaptations to clients, which take precedence over the built-in ones. */
  readonly clients?: ClientsConfig
  /** `Host` names and web origins that are accepted in addition to those of this machine. */
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly dataDir: string
  readonly logLevel: LogLevel
  readonly guard: GuardConfig
  readonly approvals: ApprovalsConfig
  /** Retention of audit records; they are kept for ever if neither is set. */
  readonly retention: { readonly days?: number; readonly records?: number }
  /** A second place for signed heads of the audit log: a file or a URL. */
  readonly witness?: { readonly to: string; readonly everyMs: number }
  readonly webhook?: { readonly url: string; readonly secret: string }
  readonly callers: CallersConfig
  /** An API key that is accepted in addition to those in the store. */
  readonly apiKey?: string
  readonly redisUrl?: string
  /** The PostgreSQL that gateways share; without it, everything is kept in the data directory. */
  readonly store?: string
  /** The config file; undefined if the config comes from the database, from a program, or from the examples. */
  readonly source: string | undefined
  /** The version in the database, if the config comes from there. */
  readonly version?: number
  /** All files that the config was made from, including missing ones that it would use. */
  readonly files: readonly string[]
  /** Problems that did not prevent loading. */
  readonly warnings: readonly string[]
  /** Set if a file was discovered and not named: the parts of it that wait for acceptance. */
  readonly trust?: ConfigTrust
  /** Masks secrets in texts. */
  readonly secrets: Secrets
  /** Undefined for programs that start a gateway themselves. */
  readonly written?: WrittenConfig
}

/** Do audit records wait on the local disk while the shared store is unavailable? */
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
