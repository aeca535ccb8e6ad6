import type { OutgoingMessage, TransportError } from '../../../../peer/client-transport.js'
import { type ConnectionPool, connectionPoolOf, type HttpMethod, type ReceivedHeaders } from '../http-clients/http-client.js'
import type { HttpConnection } from '../http-connection.js'
import type { ResponseBody } from '../replies/response-body.js'

export type HttpRequest = {
  readonly pool: ConnectionPool
  readonly httpMethod: HttpMethod
  readonly headers: string[]
  /** True if the headers name a session. */
  readonly hasSession: boolean
  /** The target's own by default. */
  readonly path?: string | undefined
  readonly text?: string
  /** The id of the message in `text`. */
  readonly id?: number | undefined
  readonly method?: string | undefined
  /** Called when the request begins to wait for credentials, such as for a person who signs in, and when it no longer does. */
  readonly setWaiting?: (isWaiting: boolean) => void
}

/** Receives the outcome of an HTTP request. */
export interface ResponseHandler {
  /** Called for a status of success. Returns the reader of the body, or throws a TransportError. */
  answered(status: number, headers: ReceivedHeaders): ResponseBody
  /** Called if there will be no response. */
  failed(why: TransportError): void
}

export function postOf({ sessionHeaders }: HttpConnection, message: OutgoingMessage, path?: string): HttpRequest {
  const { text, id, method, mirrored, revision } = message
  const headers = sessionHeaders.posts(revision, mirrored)
  const hasSession = sessionHeaders.hasSession(revision)
  return { pool: connectionPoolOf(message), httpMethod: 'POST', path, headers, hasSession, text, id, method }
}

export type AnsweredMessage = OutgoingMessage & { readonly id: number }

export const isAnsweredMessage = (message: OutgoingMessage): message is AnsweredMessage => message.id !== undefined
