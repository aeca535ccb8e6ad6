import { Bag } from '../bounds/bag.js'
import type { JsonObject } from '../json.js'
import type { Id } from '../jsonrpc/message.js'
import type { ClientCapabilities, Revision } from '../revisions/revision.js'
import type { RevisionSet } from '../revisions/revision-set.js'
import type { Caller } from '../tools/caller.js'
import type { LogLevel } from '../tools/context.js'
import { IncomingRequest } from './incoming-request.js'
import { OutgoingRequests } from './outgoing-requests.js'

/** Facts about the client and the connection, settled by a handshake or repeated by each request. */
export type PeerInfo = {
  readonly revision: Revision
  readonly capabilities: ClientCapabilities
  readonly clientInfo: JsonObject | undefined
  readonly logLevel: LogLevel | undefined
}

type PushMessage = (message: string, isQuestion?: boolean) => boolean

/** A setting that the client of a session may change after the handshake. */
export type SessionChange = { readonly logLevel: LogLevel } | { readonly watch: string } | { readonly unwatch: string }

/**
 * A connection to one peer: a pipe, a session, or a single self-describing request over HTTP. Request ids are unique only within one
 * conversation. The results of a handshake are kept here and nowhere else.
 */
export class Conversation {
  /** The caller that messages without a request are for. Each HTTP request of a session brings its own: see `ReplyChannel`. */
  caller: Caller
  /** Sends a message that belongs to no request; false if it cannot be sent now. A question is sent now or not at all. */
  readonly push: PushMessage
  /** The result of a handshake; undefined before it, and for requests that describe themselves. */
  peerInfo: PeerInfo | undefined
  /** The lowest level of log messages that the client of a session wants. Until it sets one, it gets all of them. */
  logLevel: LogLevel = 'debug'
  /** Tells other replicas about a change of settings, if they share sessions. */
  share: ((change: SessionChange) => Promise<void>) | undefined
  /** True if the client has sent `notifications/initialized`. */
  ready = false
  /** The name of this replica, if there are several. Ids of requests to the client begin with it. */
  replica: string | undefined
  /** The revisions served at this endpoint; undefined for all that the application serves. */
  revisions: RevisionSet | undefined
  /** The only HTTP request of the conversation, in revisions whose requests describe themselves. */
  httpRequest: { paramHeaders(): readonly string[] | undefined } | undefined
  /** Kept apart from the others, because a conversation of one HTTP request has no others. */
  #first: IncomingRequest | undefined
  #others: Bag<IncomingRequest> | undefined
  #questions: OutgoingRequests | undefined
  #watched: Set<string> | undefined
  /** Requests of a batch that have not begun yet, each with the function that dequeues it. */
  #queued: Map<Id, () => boolean> | undefined

  constructor(caller: Caller, push: PushMessage = nowhere) {
    this.caller = caller
    this.push = push
  }

  get outgoing(): OutgoingRequests {
    this.#questions ??= new OutgoingRequests(this.replica)
    return this.#questions
  }

  /** URIs of the resources whose changes the client has subscribed to. */
  get watched(): Set<string> {
    this.#watched ??= new Set()
    return this.#watched
  }

  /** True if a request with that id is queued or being answered. */
  knows(id: Id): boolean {
    return this.request(id) !== undefined || this.#queued?.has(id) === true
  }

  get busy(): boolean {
    return this.#first !== undefined || (this.#others?.size ?? 0) > 0 || (this.#queued?.size ?? 0) > 0
  }

  /** Registers a request; undefined if another with that id is still being answered. */
  begin(id: Id): IncomingRequest | undefined {
    if (this.knows(id)) return undefined
    const incoming = new IncomingRequest(id)
    if (!this.#first) this.#first = incoming
    else {
      this.#others ??= new Bag()
      this.#others.add(incoming)
    }
    return incoming
  }

  /**
   * Queues a request that begins later; undefined if that id is queued or still being answered. The returned function dequeues this
   * request, not a later one with its id, and is false if it was cancelled meanwhile.
   */
  queue(id: Id): (() => boolean) | undefined {
    if (this.knows(id)) return undefined
    const queued = this.#queued ?? new Map<Id, () => boolean>()
    this.#queued = queued
    const take = () => queued.get(id) === take && queued.delete(id)
    queued.set(id, take)
    return take
  }

  /** Drops a request that has not begun, if one with that id is queued. */
  unqueue(id: Id): void {
    this.#queued?.delete(id)
  }

  /** Forgets a request that has been answered, or never will be. */
  end(incoming: IncomingRequest): void {
    if (this.#first === incoming) this.#first = undefined
    else this.#others?.delete(incoming)
    incoming.end()
  }

  request(id: Id): IncomingRequest | undefined {
    return this.#first?.id === id ? this.#first : this.#others?.find((incoming) => incoming.id === id)
  }

  /** Cancels requests without an end, such as subscriptions, because the peer sends nothing more. Other requests may still be answered. */
  cancelEndless(reason: unknown): void {
    for (const incoming of this.#all()) if (incoming.endless) incoming.cancel(reason)
  }

  /** Cancels everything in both directions, because the peer is gone. */
  cancelAll(reason: unknown): void {
    this.#queued?.clear()
    for (const incoming of this.#all()) incoming.cancel(reason)
    this.#questions?.abandon(reason)
  }

  #all(): readonly IncomingRequest[] {
    const others = this.#others?.all() ?? []
    return this.#first ? [this.#first, ...others] : others
  }
}

const nowhere = () => false
