import { codes } from '../../jsonrpc/error.js'
import { encodeError, type Id } from '../../jsonrpc/message.js'
import type { Exchange, Headers } from './exchange.js'

/** An answer that says no before a message has been understood, or because of how it was sent. */
export type Refused = {
  readonly status: number
  readonly message: string
  readonly code?: number
  readonly data?: unknown
  readonly headers?: Headers
  readonly id?: Id
}

/** Its body is an error without an id, unless the request it answers could be read. */
export function refuse(exchange: Exchange, { status, message, code = codes.invalidRequest, data, headers, id }: Refused): void {
  exchange.respond(status, { ...json, ...headers }, encodeError(id, { code, message, data }))
}

export const json: Headers = { 'content-type': 'application/json' }

export const mostHeaders = 100
export const tooManyHeaders: Refused = {
  status: 431,
  message: `A request has at most ${mostHeaders} headers; send fewer`,
  headers: { connection: 'close' },
}
