import { Conversation, type PeerInfo } from '../../../../peer/conversation.js'
import { withReplica } from '../../../../peer/replica-ids.js'
import type { Caller } from '../../../../tools/caller.js'
import type { HttpExchange } from '../http-exchange.js'
import { type EventStream, eventStream, type StreamRules } from '../streams/event-stream.js'
import { followStream, sendLateEvents, storedEventsAfter } from './follow-stream.js'
import { type ResumableStream, resumableStream, sendStored } from './resumable-stream.js'

/** Messages kept while no stream can carry them; of changes, the latest are enough. */
const mostWaiting = 16
const mostStreams = 64
/** The form of stream ids, with an optional name of a replica; ids of streams for messages without a request end with a letter. */
const streamIds = /^(?:[A-Za-z0-9_-]{1,64}\.)?[0-9a-f]{12}\.\d{1,9}l?$/

/** A session with a client of an older revision: its conversation and its streams. */
export class HttpSession {
  readonly id: string
  readonly conversation: Conversation
  readonly openedAt: number
  usedAt = performance.now()
  /** The session token that the client sends with each request, once it has received it. */
  token = ''
  /** The version of the shared state that this session has taken over. */
  sharedVersion = 0
  readonly #rules: StreamRules
  /** Unguessable and new with each process, so that event ids of an earlier process are not accepted. */
  readonly #nonce = crypto.randomUUID().slice(-12)
  readonly #streams = new Map<string, ResumableStream>()
  /** Streams for messages that belong to no request, the newest last. */
  readonly #listening = new Set<ResumableStream>()
  #waiting: string[] = []
  #lastStream = 0

  /** A restored session keeps its id and its age. */
  constructor(caller: Caller, rules: StreamRules, { id = crypto.randomUUID() as string, openedAt = Date.now() } = {}) {
    this.id = id
    this.openedAt = openedAt
    this.#rules = rules
    this.conversation = new Conversation(caller, (message, isQuestion) => this.#push(message, isQuestion))
    this.conversation.replica = rules.replica
  }

  get peerInfo(): PeerInfo | undefined {
    return this.conversation.peerInfo
  }

  /** True if dropping the session would lose anything. */
  get busy(): boolean {
    return this.conversation.busy || this.#listener() !== undefined
  }

  /** True if a stream for messages that belong to no request is open. */
  get listens(): boolean {
    return this.#listener() !== undefined
  }

  openStream(exchange: HttpExchange, expiresAt: number | undefined): ResumableStream {
    return this.#start(exchange, 'reply', expiresAt).stream
  }

  listen(exchange: HttpExchange, expiresAt: number | undefined): EventStream {
    const { stream, events } = this.#start(exchange, 'listening', expiresAt)
    this.#listenOn(stream)
    return events
  }

  /** Resumes a stream after the event with that id; undefined if this session has no such event. */
  async resume(exchange: HttpExchange, lastEventId: string, expiresAt: number | undefined): Promise<EventStream | undefined> {
    const dash = lastEventId.lastIndexOf('-')
    const id = lastEventId.slice(0, dash)
    const digits = lastEventId.slice(dash + 1)
    if (!/^\d{1,15}$/.test(digits)) return undefined
    const seq = Number(digits)
    const open = () => eventStream(exchange, this.#rules, { expiresAt })
    const stream = this.#streams.get(id)
    if (!stream || seq > stream.latest()) return this.#adopt(id, seq, open)
    const resumed = stream.resume(seq, open)
    const events = resumed instanceof Promise ? await resumed : resumed
    if (events && this.#listening.has(stream)) this.#listenOn(stream)
    return events
  }

  /** Resumes a stream that another replica has begun. */
  async #adopt(id: string, seq: number, open: () => EventStream): Promise<EventStream | undefined> {
    const { events: store } = this.#rules
    if (!store.shared || !streamIds.test(id)) return undefined
    const kept = await storedEventsAfter(store, { session: this.id, stream: id }, seq)
    if (!kept) return undefined
    const events = open()
    const isOver = sendStored(events, id, kept)
    const reached = kept.at(-1)?.seq ?? seq
    if (id.endsWith('l')) {
      const stream = resumableStream(id, { ...this.#storage, marksEnd: false }, reached)
      stream.connect(events)
      this.#remember(stream)
      this.#listenOn(stream)
      void sendLateEvents(stream, { store, session: this.id }).catch(() => stream.end()) // the client resumes it
    } else if (isOver) events.end()
    else void followStream({ store, session: this.id, stream: id }, reached, events).catch(() => events.end()) // the client resumes it
    return events
  }

  /** Ends the streams of the session, and forgets its events unless replicas share them. */
  end(): void {
    for (const stream of this.#streams.values()) stream.end()
    if (!this.#rules.events.shared) void this.#rules.events.forget(this.id)
  }

  get #storage() {
    return { store: this.#rules.events, session: this.id, caller: this.conversation.caller.id }
  }

  #start(exchange: HttpExchange, kind: 'reply' | 'listening', expiresAt: number | undefined) {
    const http = this.peerInfo?.revision.http
    const id = withReplica(this.#rules.replica, `${this.#nonce}.${++this.#lastStream}${kind === 'listening' ? 'l' : ''}`)
    const { events: store } = this.#rules
    const marksEnd = store.shared === true && kind === 'reply'
    const stream = resumableStream(id, http?.resumable ? { ...this.#storage, marksEnd } : undefined)
    // The id of the event that precedes all others.
    const first = http?.priming ? { first: { id: `${id}-0`, data: '' } } : {}
    const events = eventStream(exchange, this.#rules, { ...first, expiresAt })
    stream.connect(events)
    this.#remember(stream)
    return { stream, events }
  }

  #listenOn(stream: ResumableStream): void {
    this.#listening.delete(stream)
    this.#listening.add(stream)
    for (const message of this.#waiting.splice(0)) stream.send(message)
  }

  // One message goes to one stream. spec 2025-11-25, basic/transports#multiple-connections
  #push(message: string, isQuestion = false): boolean {
    const stream = this.#listener()
    // The client may listen nowhere, or at another replica. It gets the question when it waits here for the result of the task.
    if (!stream && isQuestion) return false
    if (stream) stream.send(message)
    else if (!this.#waiting.includes(message)) this.#waiting = [...this.#waiting, message].slice(-mostWaiting)
    return true
  }

  #listener(): ResumableStream | undefined {
    return [...this.#listening].findLast((stream) => stream.isConnected())
  }

  #remember(stream: ResumableStream): void {
    this.#streams.set(stream.id, stream)
    if (this.#streams.size <= mostStreams) return
    const old = [...this.#streams.values()].find((one) => one.isDisposable())
    if (!old) return
    this.#streams.delete(old.id)
    this.#listening.delete(old)
  }
}
