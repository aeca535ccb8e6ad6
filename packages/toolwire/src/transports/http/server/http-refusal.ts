import { codes } from '../../../jsonrpc/error.js'
import { encodeErrorResponse, type Id } from '../../../jsonrpc/message.js'
import type { InvalidMessage } from '../../../jsonrpc/read-message.js'
import { errorText } from '../../../text/error-text.js'
import { Refusal } from '../../../tools/refusal.js'
import { jsonType } from '../media-type.js'
import type { HttpExchange, HttpHeaders } from './http-exchange.js'

/** A refusal of an HTTP request, before its message is understood or because of how it was sent. */
export type HttpRefusal = {
  readonly status: number
  readonly message: string
  readonly code?: number
  readonly data?: unknown
  readonly headers?: HttpHeaders
  readonly id?: Id
}

/** Sends a refusal. Its body is an error without an id, unless the request could be read. */
export function refuse(
  exchange: HttpExchange,
  { status, message, code = codes.invalidRequest, data, headers, id }: HttpRefusal,
): void {
  exchange.respond(status, { ...jsonHeaders, ...headers }, encodeErrorResponse(id, { code, message, data }))
}

export const refuseInvalid = (exchange: HttpExchange, { error: { code, message } }: InvalidMessage): void =>
  refuse(exchange, { status: 400, code, message })

/** Answers a request after an internal fault. The client learns no details, unless it may retry. A refusal without a cause is no fault. */
export function refuseAfterFault(exchange: HttpExchange, thrown: unknown): void {
  const retryAfterMs = thrown instanceof Refusal ? thrown.retryAfterMs : undefined
  if (!(thrown instanceof Refusal) || thrown.cause !== undefined)
    console.error(`toolwire: a request could not be answered: ${errorText(thrown)}`)
  if (thrown instanceof Refusal && retryAfterMs !== undefined)
    refuse(exchange, { status: 503, message: thrown.message, headers: retryAfterHeader(retryAfterMs) })
  else refuse(exchange, { status: 500, code: codes.internalError, message: 'Internal error' })
}

export const refuseTooLarge = (exchange: HttpExchange, limit: number): void =>
  refuse(exchange, closingRefusal(413, `The body is larger than ${limit} bytes`))

/** The request may be retried elsewhere, or here after a restart. */
export const refuseWhileClosing = (exchange: HttpExchange, id?: Id): void =>
  refuse(exchange, { status: 503, message: 'The server is closing; try again in 1 s', headers: retryAfterHeader(1_000), id })

export const jsonHeaders: HttpHeaders = { 'content-type': jsonType }

/** The header holds whole seconds. RFC 9110, section 10.2.3 */
export const retryAfterHeader = (ms: number): HttpHeaders => ({ 'retry-after': String(Math.ceil(ms / 1000)) })

/** A refusal after which the connection is closed. */
export function closingRefusal(status: number, message: string): HttpRefusal {
  return { status, message, headers: { connection: 'close' } }
}

/** The body is not read, so that it takes no memory. */
export const tooManyLong: HttpRefusal = {
  status: 429,
  message: 'Long requests of this caller take too much memory at the moment. Nothing was done; try again in 1 s',
  headers: { connection: 'close', ...retryAfterHeader(1_000) },
}

export const mostHeaders = 100
export const tooManyHeaders = closingRefusal(431, `The request has more than ${mostHeaders} headers; send fewer`)
