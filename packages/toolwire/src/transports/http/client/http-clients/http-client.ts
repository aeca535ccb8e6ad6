// Who makes the HTTP requests.
import type { ConnectionPool } from './connection-pool.js'

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
  readonly body?: string
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
