import type { OutgoingMessage } from '../../../../peer/client-transport.js'

/** The connection pool of a request. Requests that calls depend on must never wait until a call is over. */
export type ConnectionPool =
  /** Calls, each of which may hold a connection for long. */
  | 'calls'
  /** Messages that calls may wait for, and short ones: answers to questions of the server, cancellations, pings. */
  | 'control'
  /** Streams for messages that belong to no call, and subscriptions to such messages. */
  | 'streams'

const poolByMethod: ReadonlyMap<string | undefined, ConnectionPool> = new Map([
  ['ping', 'control'],
  // Sent right after the handshake, when there are no calls yet, so it needs no other connection.
  ['notifications/initialized', 'calls'],
  ['subscriptions/listen', 'streams'],
  ['resources/subscribe', 'streams'],
  ['resources/unsubscribe', 'streams'],
])

export const connectionPoolOf = ({ id, method }: OutgoingMessage): ConnectionPool =>
  poolByMethod.get(method) ?? (id === undefined ? 'control' : 'calls')

export interface HttpClient {
  /** Never throws; the handler is told the outcome. */
  dispatch(request: DispatchedRequest, handler: DispatchHandler): void
  /** Aborts all open requests, and waits until they are gone. */
  close(): Promise<void>
}

export type HttpMethod = 'GET' | 'POST' | 'DELETE'

export type DispatchedRequest = {
  readonly path: string
  readonly pool: ConnectionPool
  readonly method: HttpMethod
  /** Name, value, name, value. */
  readonly headers: string[]
  readonly body: string | undefined
}

/** Header names in lower case; several of one name in an array. */
export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Aborts a request and, if possible, pauses its response. */
export type Hangup = { abort(reason: Error): void; pause?(): void; resume?(): void }

/** Callbacks for one request. The names are undici's own, so on Node no adapter is needed. */
export interface DispatchHandler {
  /** Called before the request is written; until then nothing has reached the server. */
  onRequestStart(hangup: Hangup): void
  onResponseStart(hangup: Hangup, status: number, headers: ReceivedHeaders): void
  /** If responses cannot be paused, the next chunk waits for the returned promise. */
  onResponseData(hangup: Hangup, chunk: Uint8Array): void | Promise<void>
  onResponseEnd(hangup: Hangup): void
  /** `hangup` is undefined if the request was not written. */
  onResponseError(hangup: Hangup | undefined, error: Error): void
}

export function headerOf(headers: ReceivedHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
