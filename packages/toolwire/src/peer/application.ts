import type { SingleMessage } from '../jsonrpc/read-message.js'
import type { RevisionSet } from '../revisions/revision-set.js'
import type { Conversation } from './conversation.js'
import type { ReplyChannel } from './reply-channel.js'

/** An encoded JSON-RPC response. Prepared lists come as bytes in pieces, everything else as text. */
export type Answer = {
  readonly body: string | readonly Uint8Array[]
  /** The code, if the answer is an error. */
  readonly error?: number
  /** The request was not well formed in its revision. */
  readonly malformed?: boolean
  /** When the caller may try again, in milliseconds, if it was sent away for now. */
  readonly retryAfterMs?: number
  /** All the scopes that the request takes, if its caller was sent away to get them. */
  readonly scopes?: readonly string[]
}

/** A served application, as transports know it. */
export interface Application {
  readonly revisions: RevisionSet
  /**
   * Takes one message that is not a batch and gives the answer, or undefined when none is due: to notifications, to responses, and
   * to requests that were cancelled. Never rejects. `reply` is where messages about the request go meanwhile.
   */
  receive(
    message: SingleMessage,
    conversation: Conversation,
    reply: ReplyChannel,
  ): Answer | undefined | Promise<Answer | undefined>
  /** From now on the conversation hears of changes, once its client has said that it is ready. */
  join(conversation: Conversation): void
  /** The client is gone for good: cancels what it asked for and forgets it. */
  leave(conversation: Conversation): void
  /** Resolves when nothing is in flight any more, at the latest after `ms`; ends subscriptions and takes no new requests. */
  drain(ms: number): Promise<void>
  /** Seals small values into tokens that only this application, or one with the same secret, can open. */
  readonly sealer: Sealer
  /** The name of this replica, where there are several. */
  readonly replica?: string | undefined
  /** Every scope that anything served here asks for. */
  readonly scopes: readonly string[]
}

/** The value that `server()` returns, or another object that holds an application. */
export interface Served {
  readonly '~application': Application
}

/** Authenticated encryption of JSON values, bound to what they are for. */
export interface Sealer {
  seal(purpose: string, value: unknown): Promise<string>
  /** Undefined when the token is not ours, was altered, or was made for something else. */
  open(purpose: string, token: string): Promise<unknown>
}
