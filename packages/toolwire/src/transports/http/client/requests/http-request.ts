import type { TransportError } from '../../../../peer/client-transport.js'
import type { ConnectionPool } from '../http-clients/connection-pool.js'
import type { HttpMethod, ReceivedHeaders } from '../http-clients/http-client.js'
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
