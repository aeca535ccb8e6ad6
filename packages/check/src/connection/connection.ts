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
  /** Called before more of the reply is kept; false ends the connection, because it is too much. */
  readonly hold?: (text: string) => boolean
}

/** The exact text or bytes to send. */
export type RequestBody = string | Uint8Array | undefined

export abstract class Connection {
  abstract readonly kind: 'stdio' | 'http'
  alive = true
  /** Called with each message of the server as it arrives. */
  readonly listeners = new Set<(message: JsonObject) => void>()
  /** Called with received text that is no message. */
  onStray: (text: string) => void = () => undefined
  abstract send(body: RequestBody, how: SendOptions): Promise<Received>
  abstract close(): Promise<void>

  protected note(message: JsonObject): void {
    for (const listener of this.listeners) listener(message)
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

/** The longest reply, or line of a program. */
export const maxReplyLength = 4 * 1024 * 1024
export const tooLong = 'it sent more than this check can hold'
const kept = 4_000

/** Shortens a text for display. */
export const truncated = (text: string): string => (text.length > kept ? `${text.slice(0, kept)}…` : text)
