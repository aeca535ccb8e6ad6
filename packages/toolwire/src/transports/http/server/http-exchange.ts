import type { Answer } from '../../../peer/application.js'

export type HttpHeaders = Readonly<Record<string, string>>

/** Why there is no body. */
export type BodyFault = { readonly fault: 'too-large' | 'gone' }

export type ReceiveBody = (body: Uint8Array | string | BodyFault) => void

/** One HTTP request and its response, on any runtime. Header names are in lower case. */
export interface HttpExchange {
  readonly method: string
  /** The path without the query. */
  readonly path: string
  readonly query: string
  readonly header: (name: string) => string | undefined
  /** The `Mcp-Param-*` headers as they came: name, value, name, value; undefined where there are none. */
  paramHeaders(): readonly string[] | undefined
  /** The address of the client, where it is known. */
  readonly remote: string | undefined
  /** The port that the request came to, where it is known. */
  readonly port: number | undefined
  /** Another replica has passed it on: it is answered here or nowhere. */
  readonly forwarded?: boolean
  /** Sent with every response. */
  commonHeaders: HttpHeaders | undefined
  /** The WWW-Authenticate header for a caller who lacks some of these scopes, where there is a way to get them. */
  challenge: ((scopes: readonly string[]) => string) | undefined
  /** Reads the whole body, of at most so many bytes, and calls back once. */
  read(limit: number, receive: ReceiveBody): void
  respond(status: number, headers: HttpHeaders, body?: Answer['body']): void
  /** Answers 200 with a body that comes bit by bit, beginning with `first`. */
  stream(headers: HttpHeaders, first: string): Sink
  /** Calls back when the client goes away before it has its answer; at once if it has gone already. */
  onGone(listener: () => void): void
}

/** A body that is being sent. */
export interface Sink {
  write(text: string): void
  end(): void
  /** Cuts the connection. */
  destroy(): void
  readonly open: boolean
  /** Bytes that the client has not taken yet. */
  readonly queued: number
  onClose(listener: () => void): void
}
