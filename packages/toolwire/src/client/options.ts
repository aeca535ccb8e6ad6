import type { JsonObject } from '../json.js'
import type { Credentials } from '../peer/client-transport.js'
import type { GuardOptions } from '../policy/guard.js'
import type { Policy } from '../policy/policy.js'
import { checkOptions, type KnownOptions, type OptionHints } from '../tools/checks/known-options.js'
import type { LogLevel } from '../tools/context.js'
import type { Answering, AnswerKinds, LogEntry } from './client.js'
import type { RevisionStore } from './connection/revision-store.js'

/** A client knows no scopes, and in any case it checks arguments and keeps to time limits. */
type ClientGuard = Omit<GuardOptions, 'access' | 'validate' | 'timeout'>

/** How to connect. */
export type ConnectOptions = {
  /** Ends the attempt to connect; what becomes of the connection later is not its business. */
  signal?: AbortSignal
  /** What this side calls the server: in approvals, audit records and questions. */
  name?: string
  /** How this client introduces itself; false says nothing where the revision lets it. */
  clientInfo?: { name: string; version: string; title?: string } | false
  /** Speak this revision, or one of these; all of them if not said. */
  revision?: string | readonly string[]
  /** Believe what this server says about its tools (read-only, idempotent…). Off unless you know who runs it. */
  trusted?: boolean
  /** Bearer token, or credentials such as `oauth(…)` from `toolwire/client/oauth`. HTTP only. */
  auth?: Credentials | { token: string | (() => string | Promise<string>) }
  /** More headers for every HTTP request. */
  headers?: Readonly<Record<string, string>>
  /** Replaces the HTTP stack with a function like `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** Who answers the server's questions. */
  answers?: Answering
  /** What single requests will answer by themselves, so that it is declared where that is done once for all of them. */
  asks?: AnswerKinds
  /** What stands around every call. Without it calls are recorded in memory, held back from floods, and their results cleaned. */
  guard?: ClientGuard
  /** Your own, recorded and around all other policies, outermost first. An `audit` or a `sanitize` takes the place of the usual one. */
  policies?: readonly Policy[]
  /** Extensions that this client supports, by identifier. */
  extensions?: JsonObject
  /** `false` where calls are to be answered when they are over, and not with a task, wherever it is for the server to choose. */
  tasks?: boolean
  /** How much is taken from the server, and how long it may take. */
  limits?: Partial<ClientLimits>
  /** Where it is kept which era a server speaks; in this process unless said otherwise. */
  verdicts?: RevisionStore
  /** False sends requests of the newest kind without asking the server first what it offers. */
  discover?: boolean
  /** False sends calls without knowing the tool, so nothing is validated or mirrored. Policies have the list read anyway. */
  listFirst?: boolean
  /** Which log messages of the server to hear, and where. */
  logLevel?: LogLevel
  onLog?: (entry: LogEntry) => void
  /** Told when a session with the server has begun, and when one has ended by itself. */
  onSession?: (event: SessionEvent) => void
  /** What had to be passed over: a broken definition, an unreadable line. stderr unless said otherwise. */
  onWarning?: (text: string) => void
  /** Milliseconds between pings of an idle connection that has a session; 0, the default, sends none. */
  pingEveryMs?: number
}

export type SessionEvent = { readonly kind: 'begun'; readonly revision: string } | { readonly kind: 'ended'; readonly why: Error }

/** Bounds on what a server may cost. */
export type ClientLimits = {
  /** Longest message taken, in bytes. */
  messageBytes: number
  idleMs: number
  totalMs: number
  /** How long a call is waited for that the server has made a task of; `totalMs` of a call goes before. */
  taskMs: number
  /** How long a server may think about which era it is from. */
  probeMs: number
  pages: number
  items: number
  /** Rounds of questions in one call. */
  rounds: number
  /** Questions a server may put in a minute. */
  questionsPerMinute: number
  /** The longest time to cache a list, even if the server allows more. */
  cacheMs: number
}

export const defaultClientLimits: ClientLimits = {
  messageBytes: 4 * 1024 * 1024,
  idleMs: 60_000,
  totalMs: 300_000,
  taskMs: 3_600_000,
  probeMs: 2_000,
  pages: 64,
  items: 10_000,
  rounds: 10,
  questionsPerMinute: 30,
  cacheMs: 86_400_000,
}

const known: KnownOptions<ConnectOptions> = {
  signal: true,
  name: true,
  clientInfo: true,
  revision: true,
  trusted: true,
  auth: true,
  headers: true,
  fetch: true,
  answers: true,
  asks: true,
  guard: true,
  policies: true,
  extensions: true,
  tasks: true,
  limits: true,
  verdicts: true,
  discover: true,
  listFirst: true,
  logLevel: true,
  onLog: true,
  onSession: true,
  onWarning: true,
  pingEveryMs: true,
}
const answering: KnownOptions<Answering> = { form: true, page: true, model: true, roots: true }
const insteadOf: OptionHints = {
  token: 'Write `auth`: auth: { token }.',
  authProvider: 'Write `auth`, such as oauth({ … }) of toolwire/client/oauth.',
  protocolVersion: 'Write `revision`.',
  revisions: 'Write `revision`.',
  timeout: 'Write `limits`: limits: { idleMs, totalMs }.',
  idleMs: 'Write `limits`: limits: { idleMs }.',
  totalMs: 'Write `limits`: limits: { totalMs }.',
  elicitation: 'Write `answers`: answers: { form, page }.',
  roots: 'Write `answers`: answers: { roots }.',
  capabilities: 'Leave it out: capabilities follow from `answers`.',
  partial: 'Only pool() has it.',
}

/** A restriction that is misspelt would restrict nothing. */
export function checkConnectOptions(options: ConnectOptions): void {
  checkOptions('connect()', options, known, insteadOf)
  checkOptions('`limits`', options.limits, defaultClientLimits)
  checkOptions('`answers`', options.answers, answering)
  checkOptions('`asks`', options.asks, answering)
}
