// A connection for raw messages: stdio to a program, or HTTP to an endpoint.
import type { JsonObject } from 'toolwire'

/** The reply to one message sent. */
export type Received = {
  readonly messages: readonly JsonObject[]
  /** The raw text, shortened. */
  readonly text: string
  /** Over HTTP only. */
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  /** `over`: the reply has ended. `found`: a message satisfied `until`. */
  readonly end: 'found' | 'over' | 'too late' | 'closed'
  /** Why the connection was closed, if that is known. */
  readonly why?: string
}

export type SendOptions = {
  readonly ms: number
  /** Is this the message that the caller waits for? */
  readonly until: (message: JsonObject) => boolean
  /** Over HTTP only: a header that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly method?: 'POST' | 'GET' | 'DELETE' | 'OPTIONS'
  readonly signal?: AbortSignal
  /** Over HTTP only: wait for the status and the headers alone. */
  readonly headOnly?: boolean
}

/** The exact text or bytes to send. */
export type RequestBody = string | Uint8Array | undefined

export abstract class Connection {
  abstract readonly kind: 'stdio' | 'http'
  alive = true
  /** Received text that is no message. */
  readonly strays: string[] = []
  readonly all: JsonObject[] = []
  /** Called with each request of the server as it arrives. */
  onRequest: (request: JsonObject) => void = () => undefined
  abstract send(body: RequestBody, how: SendOptions): Promise<Received>
  abstract close(): Promise<void>

  protected note(message: JsonObject): void {
    this.all.push(message)
    if ('id' in message && typeof message.method === 'string') this.onRequest(message)
  }
}

/** The server cannot be reached, or is gone. */
export class UnreachableError extends Error {
  override name = 'UnreachableError'
}

/** The server applies a rate limit, which it may; the check then proves nothing. */
export class RateLimitedError extends Error {
  override name = 'RateLimitedError'
}

export const maxTextLength = 32 * 1024 * 1024
const kept = 4_000

/** Shortens a text for display. */
export const truncated = (text: string): string => (text.length > kept ? `${text.slice(0, kept)}…` : text)
