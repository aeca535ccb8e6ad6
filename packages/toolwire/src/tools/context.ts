import type { CancelToken } from '../bounds/cancel-token.js'
import type { Json, JsonObject } from '../json.js'
import type { Ask, Root, SamplingRequest, SamplingResult, WaitUntil } from './ask.js'
import type { Caller } from './caller.js'
import type { OutputOf, StandardSchema } from './standard-schema.js'

export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
/** Severity of a log message, in ascending order. */
export type LogLevel = (typeof logLevels)[number]
export const isLogLevel = (value: unknown): value is LogLevel => logLevels.some((level) => level === value)

/** Sends a log message about the running call to the client, if the client wants messages of this level. */
export type Log = ((level: LogLevel, data: Json, logger?: string) => void) & {
  readonly [L in LogLevel]: (data: Json, logger?: string) => void
}

/** The context of a call for its handler, the same in every revision. */
export interface Context<Answers = unknown> {
  /** Aborted when the client cancels or disconnects, or at the timeout. */
  readonly signal: AbortSignal
  /** A cheaper `signal`, for handlers that only listen or pass it on to a client's call. */
  readonly cancelToken: CancelToken
  readonly caller: Caller
  /**
   * Identifies the pipe or session of the call: the same object for as long as the connection lasts, or a new one for a request without
   * either. Use it only as a key.
   */
  readonly peer?: object
  readonly meta: JsonObject
  /**
   * The `Mcp-Param-*` headers of the request, unchanged: name, value, name, value. Undefined without such headers, or in revisions without
   * them. Relays use them: a header that the tool does not name is meant for an upstream server.
   */
  readonly paramHeaders?: readonly string[] | undefined
  /** The answers to the declared `asks`. */
  readonly answers: Answers
  /** Reports progress; does nothing if the client did not ask for it. */
  readonly progress: (done: number, total?: number, message?: string) => void
  /** @deprecated Logging to the client is kept for older clients; write to stderr or OpenTelemetry instead. */
  readonly log: Log
  /** The kinds of questions that this client supports; calls with the same support share one value. */
  readonly askable: SupportedQuestions
  /** Asks the person. The key names the question, so that a replayed handler finds its answer again. */
  readonly ask: AskFunction
  /** Runs a side effect once, even if the handler is replayed after a question; its result must be JSON. */
  readonly once: <T>(key: string, effect: () => T | Promise<T>) => Promise<T>
  /** The responses to an earlier `inputRequired`, by key as the client gave them, and the state sent along. */
  readonly resumed: ResumedRound | undefined
  /** Drops the connection so that the client resumes the stream later; does nothing where that is impossible. */
  readonly hangUp: (retryMs?: number) => void
  /** Routes the answer to a question of this call to this replica, because the call depends on data in its memory. Relays use it. */
  readonly holdHere?: () => void
  /** Throws if the policies no longer let the call through. Relays call it right before they send. */
  readonly recheck?: (() => void | Promise<void>) | undefined
  /** Answers the client now with a task to poll. Undefined if the call cannot become a task; does nothing if it is one already. */
  readonly promoteToTask?: (() => void) | undefined
}

/** Kinds of questions that a client supports: a form, a page to visit, its model, its roots. */
export type SupportedQuestions = {
  readonly form: boolean
  readonly page: boolean
  readonly model: boolean
  readonly roots: boolean
}

/** The responses and the state of an earlier round. */
export type ResumedRound = { readonly responses: { readonly [key: string]: JsonObject }; readonly state: Json | undefined }

/** Asks questions while a handler runs. Call it for a form; the other kinds are its methods. */
export interface AskFunction {
  <S extends StandardSchema>(key: string, message: string, schema: S): Promise<OutputOf<S>>
  /** Sends the person to a page and waits for their consent. Their data stays between them and that page. */
  url(key: string, message: string, url: string, options?: { until?: WaitUntil }): Promise<true>
  /** @deprecated See `ask.model`. */
  model(key: string, request: SamplingRequest): Promise<SamplingResult>
  /** @deprecated See `ask.roots`. */
  roots(key: string): Promise<Root[]>
  /** True if this client supports that kind of question. */
  can(kind: Ask['kind']): boolean
  /** The error for an unsupported kind of question; undefined if it is supported. */
  lacks(kind: Ask['kind']): Error | undefined
}
