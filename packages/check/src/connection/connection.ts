// What carries raw messages: a pipe to a program, or requests to an endpoint.
import type { JsonObject } from 'toolwire'

/** What came back for one thing that was sent. */
export type Received = {
  readonly messages: readonly JsonObject[]
  /** As it came, cut short. */
  readonly text: string
  /** Of HTTP. */
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  /** `over`: the reply has ended. `found`: what was waited for has come. */
  readonly end: 'found' | 'over' | 'too late' | 'closed'
}

export type SendOptions = {
  readonly ms: number
  /** Whether this is what was waited for. */
  readonly until: (message: JsonObject) => boolean
  /** Of HTTP: undefined takes a header away. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly method?: 'POST' | 'GET' | 'DELETE' | 'OPTIONS'
  /** Gives up the request early. */
  readonly signal?: AbortSignal
  /** Of HTTP: the status and the headers are all that is wanted. */
  readonly headOnly?: boolean
}

/** Exactly what is sent. */
export type RequestBody = string | Uint8Array | undefined

export abstract class Connection {
  abstract readonly kind: 'stdio' | 'http'
  alive = true
  /** What came that is no message. */
  readonly strays: string[] = []
  /** Everything that came, in order. */
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

/** No server has come this far, or it has gone. */
export class UnreachableError extends Error {
  override name = 'Unreachable'
}

/** The server refuses to be asked so often, which it may; nothing can be learnt from that about anything else. */
export class RateLimitedError extends Error {
  override name = 'Limited'
}

export const maxTextLength = 32 * 1024 * 1024
const kept = 4_000

/** Enough of a text to show. */
export const truncated = (text: string): string => (text.length > kept ? `${text.slice(0, kept)}…` : text)
