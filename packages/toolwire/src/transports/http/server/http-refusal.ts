import { codes } from '../../../jsonrpc/error.js'
import { encodeErrorResponse, type Id } from '../../../jsonrpc/message.js'
import type { HttpExchange, HttpHeaders } from './http-exchange.js'

/** An answer that says no before a message has been understood, or because of how it was sent. */
export type HttpRefusal = {
  readonly status: number
  readonly message: string
  readonly code?: number
  readonly data?: unknown
  readonly headers?: HttpHeaders
  readonly id?: Id
}

/** Its body is an error without an id, unless the request it answers could be read. */
export function refuse(
  exchange: HttpExchange,
  { status, message, code = codes.invalidRequest, data, headers, id }: HttpRefusal,
): void {
  exchange.respond(status, { ...jsonHeaders, ...headers }, encodeErrorResponse(id, { code, message, data }))
}

export const jsonHeaders: HttpHeaders = { 'content-type': 'application/json' }

export const mostHeaders = 100
export const tooManyHeaders: HttpRefusal = {
  status: 431,
  message: `A request has at most ${mostHeaders} headers; send fewer`,
  headers: { connection: 'close' },
}
