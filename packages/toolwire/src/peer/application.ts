import type { SingleMessage } from '../jsonrpc/read-message.js'
import type { RevisionSet } from '../revisions/revision-set.js'
import type { Conversation } from './conversation.js'
import type { ReplyChannel } from './reply-channel.js'

/** An encoded JSON-RPC response. Prepared lists come as bytes in pieces, everything else as text. */
export type Answer = {
  readonly body: string | readonly Uint8Array[]
  /** The error code, if the response is an error. */
  readonly error?: number
  /** The request was malformed in its revision. */
  readonly malformed?: boolean
  /** Milliseconds after which the caller may retry, if the request was refused for now. */
  readonly retryAfterMs?: number
  /** All scopes that the request needs, if it was refused because some are missing. */
  readonly scopes?: readonly string[]
}

/** The served application, as transports see it. */
export interface Application {
  readonly revisions: RevisionSet
  /**
   * Takes one message that is not a batch and returns its response. Returns undefined for notifications, for responses, and for cancelled
   * requests. Never rejects. Messages about the request go through `reply` meanwhile.
   */
  receive(
    message: SingleMessage,
    conversation: Conversation,
    reply: ReplyChannel,
  ): Answer | undefined | Promise<Answer | undefined>
  /** Notifies the conversation of changes from now on, once its client has sent `notifications/initialized`. */
  join(conversation: Conversation): void
  /** Cancels the requests of a client that is gone for good, and forgets the client. */
  leave(conversation: Conversation): void
  /** Ends subscriptions and waits until no request is in flight, for `ms` at most. */
  drain(ms: number): Promise<void>
  /** Seals small values into tokens that only this application, or one with the same secret, can open. */
  readonly sealer: Sealer
  /** The name of this replica, if there are several. */
  readonly replica?: string | undefined
  /** Every scope that a tool, resource or prompt requires. */
  readonly scopes: readonly string[]
}

/** The value that `server()` returns, or another object that holds an application. */
export interface Served {
  readonly '~application': Application
}

/** Authenticated encryption of JSON values, each bound to its purpose. */
export interface Sealer {
  seal(purpose: string, value: unknown): Promise<string>
  /** Undefined if the token is not from this sealer, was altered, or has another purpose. */
  open(purpose: string, token: string): Promise<unknown>
}
