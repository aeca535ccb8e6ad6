import type { CancelToken } from '../bounds/cancel-token.js'
import type { Json, JsonObject } from '../json.js'
import type { Ask, Root, SamplingRequest, SamplingResult, WaitUntil } from './ask.js'
import type { Caller } from './caller.js'
import type { OutputOf, StandardSchema } from './standard-schema.js'

export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
/** How much a log line matters, from the least on. */
export type LogLevel = (typeof logLevels)[number]
export const isLogLevel = (value: unknown): value is LogLevel => logLevels.some((level) => level === value)

/** Tells the client something about the running call, if the client asked to hear it. */
export type Log = ((level: LogLevel, data: Json, logger?: string) => void) & {
  readonly [L in LogLevel]: (data: Json, logger?: string) => void
}

/** What a handler can use besides its input, the same in every revision. */
export interface Context<Answers = unknown> {
  /** Aborted when the client cancels or goes away, or when the time is up. */
  readonly signal: AbortSignal
  /** A cheaper `signal`, for handlers that only listen or pass it on to a client's call. */
  readonly cancelToken: CancelToken
  readonly caller: Caller
  /**
   * Identifies the pipe or session of the call: the same object for as long as it lasts, or a new one for a request without
   * either. Use it only as a key.
   */
  readonly peer?: object
  /** The `_meta` of the request. */
  readonly meta: JsonObject
  /**
   * The `Mcp-Param-*` headers of the request, as they came: name, value, name, value. Undefined if there are none, or the
   * revision has none. Relays use it: a header that the tool does not name is meant for a server further on.
   */
  readonly paramHeaders?: readonly string[] | undefined
  /** What was answered to the declared `asks`. */
  readonly answers: Answers
  /** Reports progress; does nothing when nobody asked for it. */
  readonly progress: (done: number, total?: number, message?: string) => void
  /** @deprecated Logging to the client is kept for older clients; write to stderr or OpenTelemetry instead. */
  readonly log: Log
  /** The kinds of questions that this client can be asked; calls that can be asked the same share one value. */
  readonly askable: SupportedQuestions
  /** Asks the person. The key names the question, so that its answer is found again if the handler is replayed. */
  readonly ask: AskFunction
  /** Runs a side effect once, even if the handler is replayed after a question; its result must be JSON. */
  readonly once: <T>(key: string, effect: () => T | Promise<T>) => Promise<T>
  /** What came back for an `inputRequired` answer: responses by key as the client gave them, and the state sent along. */
  readonly resumed: ResumedRound | undefined
  /** Lets the client drop the connection and come back for the rest; does nothing where that is not possible. */
  readonly hangUp: (retryMs?: number) => void
  /** If the call ends with a question, its answer is to come to this replica, because the call goes on with what is held here. Relays use it. */
  readonly holdHere?: () => void
  /** Answers the client now, with a task to come back for. Missing where the call is none and cannot become one; does nothing where it is one. */
  readonly promoteToTask?: (() => void) | undefined
}

/** Kinds of questions: a form, a page to visit, the client's model, its roots. */
export type SupportedQuestions = {
  readonly form: boolean
  readonly page: boolean
  readonly model: boolean
  readonly roots: boolean
}

/** What an earlier round has left for this one. */
export type ResumedRound = { readonly responses: { readonly [key: string]: JsonObject }; readonly state: Json | undefined }

/** The ways to ask while a handler runs: call it for a form; the others hang on it. */
export interface AskFunction {
  <S extends StandardSchema>(key: string, message: string, schema: S): Promise<OutputOf<S>>
  /** Sends the person to a page and waits for their consent; what they do there stays between them and that page. */
  url(key: string, message: string, url: string, options?: { until?: WaitUntil }): Promise<true>
  /** @deprecated See `ask.model`. */
  model(key: string, request: SamplingRequest): Promise<SamplingResult>
  /** @deprecated See `ask.roots`. */
  roots(key: string): Promise<Root[]>
  /** Whether this client can be asked that. */
  can(kind: Ask['kind']): boolean
  /** Why it cannot, as it would be told; undefined where it can. */
  lacks(kind: Ask['kind']): Error | undefined
}
