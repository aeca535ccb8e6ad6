// What can go wrong on this side of the wire. Errors that a server sent are RpcErrors; none of these is.
import { TransportError } from '../peer/client-transport.js'
import { type CallResult, ToolCallError } from '../tools/call-result.js'

/** Why a request has no answer, for programs. */
export type CallFailureCode =
  /** The request left us and no answer came: whether the server did the work cannot be known. Never retried. */
  | 'outcome_unknown'
  /** No answer in time, to a request that changes nothing. */
  | 'timed_out'
  | 'cancelled'
  /** No connection, or it broke, or the server's process ended. */
  | 'disconnected'
  /** What came back is not what the protocol says, or longer than we take. */
  | 'bad_response'
  /** The server does not offer this. */
  | 'not_offered'
  /** The server sent us away: not authorized, or an HTTP status that says no. */
  | 'turned_away'
  /** One of our own limits; the message says which. */
  | 'limit'
  /** The server and this client have no revision in common. */
  | 'no_common_revision'
  | 'closed'

/**
 * A request that failed on this side of the wire, or on the way.
 *
 * @example
 * ```ts
 * const isTooLate = (thrown: unknown) => thrown instanceof CallFailure && thrown.code === 'timed_out'
 * ```
 */
export class CallFailure extends Error {
  override name = 'CallFailure'
  readonly code: CallFailureCode
  readonly retryAfterMs: number | undefined
  readonly status: number | undefined

  constructor(code: CallFailureCode, message: string, options: ErrorOptions & { retryAfterMs?: number; status?: number } = {}) {
    super(message, options)
    this.code = code
    this.retryAfterMs = options.retryAfterMs
    this.status = options.status
  }
}

/** What a request speaks of went with an earlier session. */
export class SessionEnded extends CallFailure {
  constructor(method: string) {
    const cause = new TransportError('session-gone', 'the session is over', { sent: false })
    super('disconnected', `${method} belongs to a session that is over; nothing was done`, { cause })
  }
}

/**
 * The result does not fit the output schema that the tool was listed with.
 *
 * @example
 * ```ts
 * const resultOf = (thrown: unknown) => (thrown instanceof InvalidResult ? thrown.result : undefined)
 * ```
 */
export class InvalidResult extends ToolCallError {
  override name = 'InvalidResult'
}

/**
 * The arguments do not fit the tool, as this side or the server found.
 *
 * @example
 * ```ts
 * const isOurFault = (thrown: unknown) => thrown instanceof InvalidArguments && thrown.foundBy === 'client'
 * ```
 */
export class InvalidArguments extends ToolCallError {
  override name = 'InvalidArguments'
  readonly foundBy: 'client' | 'server'

  constructor(message: string, foundBy: 'client' | 'server') {
    super(failedResult(message))
    this.foundBy = foundBy
  }
}

/** What a model reads about a call that did not come to a result. */
export const failedResult = (text: string): CallResult => ({ content: [{ type: 'text', text }], isError: true })
