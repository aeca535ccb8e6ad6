// Errors that arise on this side of the wire. Errors that a server sent are RpcErrors instead.
import { TransportError } from '../peer/client-transport.js'
import { type CallResult, ToolCallError } from '../tools/call-result.js'

/** Machine-readable reason for a request without a usable answer. */
export type CallFailureCode =
  /** The request was sent and no answer came, so it is unknown if the server carried it out. Never retried. */
  | 'outcome_unknown'
  /** No answer in time to a request that is harmless to repeat. */
  | 'timed_out'
  | 'cancelled'
  /** No connection, or it broke, or the server's process ended. */
  | 'disconnected'
  /** The answer does not follow the protocol. */
  | 'bad_response'
  | 'not_offered'
  /** The server denied access: not authorized, redirected, or another HTTP error status. */
  | 'turned_away'
  /** One of this client's limits was exceeded; the message says which. */
  | 'limit'
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

/** The request depends on an earlier session that is over. */
export class SessionEnded extends CallFailure {
  constructor(method: string) {
    const cause = new TransportError('session-gone', 'the session is over', { sent: false })
    super('disconnected', `${method} belongs to a session that is over; it was not sent`, { cause })
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
 * The arguments do not fit the tool, according to this side or the server.
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

/** An error result that tells a model about a call without a result. */
export const failedResult = (text: string): CallResult => ({ content: [{ type: 'text', text }], isError: true })
