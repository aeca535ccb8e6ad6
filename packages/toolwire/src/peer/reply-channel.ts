import type { Caller } from '../tools/caller.js'

/**
 * Keeps the memory that is reserved for a request until the returned function is called, because its work may go on after its client has
 * disconnected. Undefined if the requests of this caller have taken all that they may; or if tasks have, which may go on for a day, or
 * those of this caller.
 */
export type HoldMemory = (work: { readonly requestOf: Caller } | { readonly taskOf: string }) => (() => void) | undefined

/**
 * Sends messages about one request to the peer: over the pipe itself, or the reply stream of one HTTP POST. Messages are complete JSON
 * text. The response is not sent here but returned.
 */
export interface ReplyChannel {
  send(message: string): void
  /** The caller of this request; undefined if all requests of the conversation have the same. */
  readonly caller?: Caller | undefined
  /** Reads a request header; undefined on a transport without headers. */
  readonly header: ((name: string) => string | undefined) | undefined
  /** Drops the connection so that the client resumes the stream later; undefined if it could not. */
  readonly hangUp: ((retryMs: number) => void) | undefined
  /** True if a question can reach the client during this request. */
  readonly twoWay: boolean
  /** Undefined if no memory is reserved for the request. */
  readonly hold?: HoldMemory | undefined
}
