import type { JsonObject } from '../json.js'
import type { Credentials } from '../peer/client-transport.js'
import type { GuardOptions } from '../policy/guard.js'
import type { Policy } from '../policy/policy.js'
import { checkOptions, type OptionHints, optionsLike, optionsOf } from '../tools/checks/known-options.js'
import {
  atLeast,
  either,
  listOf,
  oneOf,
  someFunction,
  someObject,
  someText,
  someTexts,
  trueOrFalse,
} from '../tools/checks/option-values.js'
import { type LogLevel, logLevels } from '../tools/context.js'
import type { Answering, AnswerKinds, LogEntry } from './client.js'
import type { RevisionStore } from './connection/revision-store.js'

/** A client has no scopes, and it always validates arguments and enforces timeouts, so it lacks these options. */
type ClientGuard = Omit<GuardOptions, 'access' | 'validate' | 'timeout'>

/** Options for connecting to a server. */
export type ConnectOptions = {
  /** Aborts the attempt to connect; it has no effect on an open connection. */
  signal?: AbortSignal
  /** This side's name for the server, in approvals, audit records and questions. */
  name?: string
  /** This client's name and version; false omits them if the revision allows that. */
  clientInfo?: { name: string; version: string; title?: string } | false
  /** The revision to speak, or the revisions to choose from; all of them by default. */
  revision?: string | readonly string[]
  /** Trusts the server's claims about its tools (read-only, idempotent…). Turn it on only if you know who runs the server. */
  trusted?: boolean
  /** Bearer token, or credentials such as `oauth(…)` from `toolwire/client/oauth`. HTTP only. */
  auth?: Credentials | { token: string | (() => string | Promise<string>) }
  /** More headers for every HTTP request. */
  headers?: Readonly<Record<string, string>>
  /** Replaces the HTTP stack with a function like `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** Handlers for the server's questions. */
  answers?: Answering
  /** Kinds of questions that single requests will answer, for revisions that declare them once for all requests. */
  asks?: AnswerKinds
  /** Policies around every call. By default calls are recorded in memory and rate limited, and their results are sanitized. */
  guard?: ClientGuard
  /** Your own policies, outermost first, inside the audit and around all others. An `audit` or `sanitize` replaces the default one. */
  policies?: readonly Policy[]
  /** Extensions that this client supports, by identifier. */
  extensions?: JsonObject
  /** `false` makes servers answer calls directly instead of with a task, in revisions in which the server chooses. */
  tasks?: boolean
  /** Limits on what is accepted from the server, and timeouts. */
  limits?: Partial<ClientLimits>
  /** Store for the negotiated revisions of servers; by default one that all connections of this process share. */
  verdicts?: RevisionStore
  /** False sends requests of per-request revisions without `server/discover` before them. */
  discover?: boolean
  /** False sends calls without listing the tools, so nothing is validated or mirrored. Policies that judge tools list them anyway. */
  listFirst?: boolean
  /** Lowest level of the server's log messages to receive, and their listener. */
  logLevel?: LogLevel
  onLog?: (entry: LogEntry) => void
  /** Called when a session begins, and when one ends by itself. */
  onSession?: (event: SessionEvent) => void
  /** Called for anything that had to be skipped, such as a broken definition or an unreadable line. Writes to stderr by default. */
  onWarning?: (text: string) => void
  /** Milliseconds between pings of a connection that has a session; 0, the default, sends none. */
  pingEveryMs?: number
  /** For relays: false leaves it to your requests to open a session after one has ended, even while changes are listened for. */
  reconnect?: boolean
}

export type SessionEvent = { readonly kind: 'begun'; readonly revision: string } | { readonly kind: 'ended'; readonly why: Error }

/** Limits on what a server may cost. */
export type ClientLimits = {
  /** Longest message accepted, in bytes. */
  messageBytes: number
  idleMs: number
  totalMs: number
  /** Longest wait for a call that has become a task; the call's own `totalMs` takes precedence. */
  taskMs: number
  /** Timeout of `server/discover` on a pipe. A program that does not answer in time is taken for an older one. */
  probeMs: number
  pages: number
  items: number
  /** Rounds of questions in one call. A round has at most ten times as many questions, and so has a task in all. */
  rounds: number
  questionsPerMinute: number
  /** The longest time to cache a list, even if the server allows more. */
  cacheMs: number
}

export const defaultClientLimits: ClientLimits = {
  messageBytes: 4 * 1024 * 1024,
  idleMs: 60_000,
  totalMs: 300_000,
  taskMs: 3_600_000,
  probeMs: 10_000,
  pages: 64,
  items: 10_000,
  rounds: 10,
  questionsPerMinute: 30,
  cacheMs: 86_400_000,
}

const known = optionsOf<ConnectOptions>()('answers asks limits', {
  name: someText,
  clientInfo: either(oneOf(false), someObject),
  revision: either(someText, someTexts),
  'trusted tasks discover listFirst reconnect': trueOrFalse,
  'signal auth headers guard extensions verdicts': someObject,
  policies: listOf(someObject),
  logLevel: oneOf(...logLevels),
  'fetch onLog onSession onWarning': someFunction,
  pingEveryMs: atLeast(0),
})
const knownLimits = optionsLike(defaultClientLimits, atLeast(0))
const answering = optionsOf<Answering>()({ 'form page model': someFunction, roots: either(listOf(someObject), someFunction) })
const answerKinds = optionsOf<AnswerKinds>()({ 'form page model roots': trueOrFalse })
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
  partial: 'Only pool() has this option.',
}

/** Rejects unknown options, because a misspelt restriction would restrict nothing. */
export function checkConnectOptions(options: ConnectOptions, owner = 'connect()'): void {
  checkOptions(owner, options, known, insteadOf)
  checkOptions('`limits`', options.limits, knownLimits)
  checkOptions('`answers`', options.answers, answering)
  checkOptions('`asks`', options.asks, answerKinds)
}
