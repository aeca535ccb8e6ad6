import { Conversation, type PeerInfo } from '../../../../peer/conversation.js'
import type { Caller } from '../../../../tools/caller.js'
import type { HttpExchange } from '../http-exchange.js'
import { EventStream, type StreamRules } from '../streams/event-stream.js'
import type { EventStore } from './event-store.js'
import { ResumableStream } from './resumable-stream.js'

export type SessionRules = StreamRules & { readonly events: EventStore }

/** Messages kept while no stream is open that could carry them; of what changes, the latest news is enough. */
const mostWaiting = 16
const mostStreams = 64

/** Where a session that is opened again comes from. */
type SessionOrigin = { readonly id?: string; readonly openedAt?: number }

/** A client of the older editions: its conversation, and the streams that lead to it. */
export class HttpSession {
  readonly id: string
  readonly conversation: Conversation
  readonly openedAt: number
  usedAt = Date.now()
  /** What the client shows with each request, once it has been sent to it. */
  token = ''
  readonly rules: SessionRules
  /** Unguessable and new with each process, so that event ids of an earlier one are not taken for ours. */
  readonly #nonce = crypto.randomUUID().slice(-12)
  readonly #streams = new Map<string, ResumableStream>()
  /** Streams that carry what belongs to no request, the newest last. */
  readonly #listening: ResumableStream[] = []
  #waiting: string[] = []
  #lastStream = 0

  constructor(caller: Caller, rules: SessionRules, { id = crypto.randomUUID(), openedAt = Date.now() }: SessionOrigin = {}) {
    this.id = id
    this.openedAt = openedAt
    this.rules = rules
    this.conversation = new Conversation(caller, (message) => this.#push(message))
  }

  get peerInfo(): PeerInfo | undefined {
    return this.conversation.peerInfo
  }

  /** Whether anything would be lost with it. */
  get busy(): boolean {
    return this.conversation.busy || this.#listening.some((stream) => stream.isConnected)
  }

  /** A new stream for the reply to a request. */
  openStream(exchange: HttpExchange): ResumableStream {
    return this.#start(exchange, undefined).stream
  }

  /** Opens a stream for what belongs to no request. */
  listen(exchange: HttpExchange, expiresAt: number | undefined): EventStream {
    const { stream, events } = this.#start(exchange, expiresAt)
    this.#listenOn(stream)
    return events
  }

  /** Goes on with a stream after the event of that id; undefined when there is no such event of this session. */
  resume(exchange: HttpExchange, lastEventId: string, expiresAt: number | undefined): EventStream | undefined {
    const dash = lastEventId.lastIndexOf('-')
    const stream = this.#streams.get(lastEventId.slice(0, dash))
    const seq = lastEventId.slice(dash + 1)
    if (!stream || !/^\d{1,15}$/.test(seq) || !stream.remembers(Number(seq))) return undefined
    const events = new EventStream(exchange, this.rules, { expiresAt })
    stream.resume(events, Number(seq))
    if (this.#listening.includes(stream)) this.#listenOn(stream)
    return events
  }

  /** Ends its streams and forgets its events. */
  end(): void {
    for (const stream of this.#streams.values()) stream.finish()
    this.rules.events.forget(this.id)
  }

  #start(exchange: HttpExchange, expiresAt: number | undefined): { stream: ResumableStream; events: EventStream } {
    const http = this.peerInfo?.revision.http
    const id = `${this.#nonce}.${++this.#lastStream}`
    const stream = new ResumableStream(id, http?.resumable ? { store: this.rules.events, session: this.id } : undefined)
    const first = http?.priming ? { id: stream.beginning, data: '' } : undefined
    const events = new EventStream(exchange, this.rules, { ...(first && { first }), expiresAt })
    stream.connect(events)
    this.#remember(stream)
    return { stream, events }
  }

  #listenOn(stream: ResumableStream): void {
    const at = this.#listening.indexOf(stream)
    if (at !== -1) this.#listening.splice(at, 1)
    this.#listening.push(stream)
    const waiting = this.#waiting
    this.#waiting = []
    for (const message of waiting) stream.send(message)
  }

  // One message goes to one stream. spec 2025-11-25, basic/transports#multiple-connections
  #push(message: string): boolean {
    const stream = this.#listening.findLast((one) => one.isConnected)
    if (stream) stream.send(message)
    else if (!this.#waiting.includes(message)) this.#waiting = [...this.#waiting, message].slice(-mostWaiting)
    return true
  }

  #remember(stream: ResumableStream): void {
    this.#streams.set(stream.id, stream)
    if (this.#streams.size <= mostStreams) return
    for (const old of this.#streams.values()) {
      if (!old.disposable) continue
      this.#streams.delete(old.id)
      const at = this.#listening.indexOf(old)
      if (at !== -1) this.#listening.splice(at, 1)
      return
    }
  }
}
