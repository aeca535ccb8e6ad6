import { Bag } from '../bounds/bag.js'
import type { JsonObject } from '../json.js'
import type { Id } from '../jsonrpc/message.js'
import type { ClientCapabilities, Revision } from '../revisions/revision.js'
import type { RevisionSet } from '../revisions/revision-set.js'
import type { Caller } from '../tools/caller.js'
import type { LogLevel } from '../tools/context.js'
import { IncomingRequest } from './incoming-request.js'
import { OutgoingRequests } from './outgoing-requests.js'

/** What both sides know of each other: settled by a handshake, or said again by each request. */
export type PeerInfo = {
  readonly revision: Revision
  readonly capabilities: ClientCapabilities
  readonly clientInfo: JsonObject | undefined
  readonly logLevel: LogLevel | undefined
}

type PushMessage = (message: string, isQuestion?: boolean) => boolean

/** What the client of a session may set after the handshake. */
export type SessionChange = { readonly logLevel: LogLevel } | { readonly watch: string } | { readonly unwatch: string }

/**
 * One peer, as long as it is the same peer: a pipe, a session, or a single self-describing request over HTTP. Ids mean something
 * only within one. What a handshake settles lives here and nowhere else.
 */
export class Conversation {
  /** Each HTTP request of a session brings credentials again, so this is read when the request comes in. */
  caller: Caller
  /** Sends a message that belongs to no request; false when there is no way to do so now. A question is kept for later only where it can reach the client. */
  readonly push: PushMessage
  /** Settled by a handshake; undefined before it, and for requests that describe themselves. */
  peerInfo: PeerInfo | undefined
  /** From which level up a client with a session wants to hear logs; it hears them all until it says so. */
  logLevel: LogLevel = 'debug'
  /** Tells other replicas what its client has set, where they share sessions. */
  share: ((change: SessionChange) => Promise<void>) | undefined
  /** The client has said that it is ready to hear from us. */
  ready = false
  /** The replica that asks here, where there are several: its name is in the ids of its questions. */
  replica: string | undefined
  /** What is spoken where it takes place, if not all that the application speaks. */
  revisions: RevisionSet | undefined
  /** The HTTP request that is all there is of it, in the revisions where that says everything about itself. */
  httpRequest: { paramHeaders(): readonly string[] | undefined } | undefined
  /** Where a request is all there is of the conversation, it has no company. */
  #first: IncomingRequest | undefined
  #others: Bag<IncomingRequest> | undefined
  #questions: OutgoingRequests | undefined
  #watched: Set<string> | undefined
  /** Requests that came in a batch and have not begun yet, with what takes each out of the queue. */
  #queued: Map<Id, () => boolean> | undefined

  constructor(caller: Caller, push: PushMessage = nowhere) {
    this.caller = caller
    this.push = push
  }

  /** Requests sent to this peer. */
  get outgoing(): OutgoingRequests {
    this.#questions ??= new OutgoingRequests(this.replica)
    return this.#questions
  }

  /** URIs of resources whose changes the client wants to hear of. */
  get watched(): Set<string> {
    this.#watched ??= new Set()
    return this.#watched
  }

  /** Whether a request with that id is queued or being answered. */
  knows(id: Id): boolean {
    return this.request(id) !== undefined || this.#queued?.has(id) === true
  }

  /** Whether any request is being answered. */
  get busy(): boolean {
    return this.#first !== undefined || (this.#others?.size ?? 0) > 0 || (this.#queued?.size ?? 0) > 0
  }

  /** Takes note of a request; undefined when one with that id is still being answered. */
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
   * Takes note of a request that begins later; undefined when one with that id is queued or still being answered. The answer takes this
   * request, not a later one with its id, out of the queue to begin it: false when it was cancelled meanwhile.
   */
  queue(id: Id): (() => boolean) | undefined {
    if (this.knows(id)) return undefined
    const queued = this.#queued ?? new Map<Id, () => boolean>()
    this.#queued = queued
    const take = () => queued.get(id) === take && queued.delete(id)
    queued.set(id, take)
    return take
  }

  /** Drops a request that has not begun; false when none with that id is queued. */
  unqueue(id: Id): boolean {
    return this.#queued?.delete(id) ?? false
  }

  /** The request has been answered, or never will be. */
  end(incoming: IncomingRequest): void {
    if (this.#first === incoming) this.#first = undefined
    else this.#others?.delete(incoming)
  }

  request(id: Id): IncomingRequest | undefined {
    return this.#first?.id === id ? this.#first : this.#others?.find((incoming) => incoming.id === id)
  }

  /** The peer will say nothing more: what goes on for as long as it likes is over, the rest may still be answered. */
  cancelEndless(reason: unknown): void {
    for (const incoming of this.#all()) if (incoming.endless) incoming.cancel(reason)
  }

  /** The peer is gone: nobody waits for answers, and nobody will give any. */
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
