import type { OutgoingMessage, TransportError } from '../../../../peer/client-transport.js'
import { type ConnectionPool, connectionPoolOf, type HttpMethod, type ReceivedHeaders } from '../http-clients/http-client.js'
import type { HttpConnection } from '../http-connection.js'
import type { ResponseBody } from '../replies/response-body.js'

/** What to ask a server for. */
export type HttpRequest = {
  readonly pool: ConnectionPool
  readonly httpMethod: HttpMethod
  readonly headers: string[]
  /** The headers name one. */
  readonly hasSession: boolean
  /** The target's own if not said. */
  readonly path?: string | undefined
  readonly text?: string
  /** Of the message in the text. */
  readonly id?: number | undefined
  readonly method?: string | undefined
}

/** Whom a task is done for. */
export interface ResponseHandler {
  /** A status that says yes. Gives what reads the body, or throws a TransportError. */
  answered(status: number, headers: ReceivedHeaders): ResponseBody
  /** Nothing more will come. */
  failed(why: TransportError): void
}

/** The request that posts a message. */
export function postOf({ sessionHeaders }: HttpConnection, message: OutgoingMessage, path?: string): HttpRequest {
  const { text, id, method, mirrored, revision } = message
  const headers = sessionHeaders.posts(revision, mirrored)
  const hasSession = sessionHeaders.hasSession(revision)
  return { pool: connectionPoolOf(message), httpMethod: 'POST', path, headers, hasSession, text, id, method }
}

/** A message that has an answer. */
export type AnsweredMessage = OutgoingMessage & { readonly id: number }

export const isAnsweredMessage = (message: OutgoingMessage): message is AnsweredMessage => message.id !== undefined
