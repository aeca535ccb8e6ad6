// Who makes the HTTP requests.
import type { OutgoingMessage } from '../../../../peer/client-transport.js'

/** Whose connections a request takes. What lets calls come to their end must never wait until a call is over. */
export type ConnectionPool =
  /** As many at once as there are connections; each may take its time. */
  | 'calls'
  /** What calls may be waiting for, and what is done at once: answers to questions of the server, cancellations, signs of life. */
  | 'asides'
  /** Streams on which the server speaks when it likes, and which are open for as long as somebody listens. */
  | 'news'

const poolByMethod: ReadonlyMap<string | undefined, ConnectionPool> = new Map([
  ['ping', 'asides'],
  // It follows at the heels of the handshake, before there are calls, and needs no other connection.
  ['notifications/initialized', 'calls'],
  ['subscriptions/listen', 'news'],
  ['resources/subscribe', 'news'],
  ['resources/unsubscribe', 'news'],
])

export const connectionPoolOf = ({ id, method }: OutgoingMessage): ConnectionPool =>
  poolByMethod.get(method) ?? (id === undefined ? 'asides' : 'calls')

/** Makes HTTP requests to one origin. */
export interface HttpClient {
  /** Never throws; the handler hears how it ends. */
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

/** How a request is broken off; and where that is possible, how its answer is held up. */
export type Hangup = { abort(reason: Error): void; pause?(): void; resume?(): void }

/** What a carrier tells about one request. These are undici's own names: on Node nothing stands between it and the handler. */
export interface DispatchHandler {
  /** It is about to be written; before this, nothing has reached the server. */
  onRequestStart(hangup: Hangup): void
  onResponseStart(hangup: Hangup, status: number, headers: ReceivedHeaders): void
  /** A promise is what the next chunk is to wait for, where nothing can be held up. */
  onResponseData(hangup: Hangup, chunk: Uint8Array): void | Promise<void>
  onResponseEnd(hangup: Hangup): void
  /** Without a hangup where it has not been written. */
  onResponseError(hangup: Hangup | undefined, error: Error): void
}

/** One header as text. */
export function headerOf(headers: ReceivedHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
