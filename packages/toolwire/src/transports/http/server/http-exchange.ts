import type { Answer } from '../../../peer/application.js'
import type { HoldMemory } from '../../../peer/reply-channel.js'

export type HttpHeaders = Readonly<Record<string, string>>

/** The reason for a missing body. */
export type BodyFault = { readonly fault: 'too-large' | 'gone' }

export type ReceiveBody = (body: Uint8Array | string | BodyFault) => void

/** One HTTP request and its response, on any runtime. Header names are in lower case. */
export interface HttpExchange {
  readonly method: string
  /** The path without the query. */
  readonly path: string
  readonly query: string
  readonly header: (name: string) => string | undefined
  /** The `Mcp-Param-*` headers, unchanged: name, value, name, value; undefined if there are none. */
  paramHeaders(): readonly string[] | undefined
  /** The address of the client, if it is known. */
  readonly remote: string | undefined
  /** The port that the request came to, if it is known. */
  readonly port: number | undefined
  /** True if another replica has forwarded the request, which is answered here or not at all. */
  readonly forwarded?: boolean
  /** Sent with every response. */
  commonHeaders: HttpHeaders | undefined
  /** Builds the WWW-Authenticate header for missing scopes; undefined if clients cannot get more. */
  challenge: ((scopes: readonly string[]) => string) | undefined
  /** Reads the whole body, up to `limit` bytes, and calls back once. */
  read(limit: number, receive: ReceiveBody): void
  respond(status: number, headers: HttpHeaders, body?: Answer['body']): void
  /** Sends status 200 and a streamed body, beginning with `first`. */
  stream(headers: HttpHeaders, first: string): Sink
  /** Calls back if the client disconnects before it has its answer; at once if it has disconnected already. */
  onGone(listener: () => void): void
  /** Undefined if no memory is reserved for the request. */
  readonly hold?: HoldMemory | undefined
}

/** A streamed response body. */
export interface Sink {
  write(text: string): void
  end(): void
  destroy(): void
  readonly open: boolean
  /** Bytes that the client has not taken yet. */
  readonly queued: number
  onClose(listener: () => void): void
}
