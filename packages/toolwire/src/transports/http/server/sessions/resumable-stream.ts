import type { EventStream } from '../streams/event-stream.js'
import type { EventStore } from './event-store.js'

type StreamStorage = { readonly store: EventStore; readonly session: string }

/**
 * One stream of a session, which may outlive the connection that carries it: while there is none, its events are kept.
 * Event ids name the stream, so that a client that comes back finds the right one. spec 2025-11-25, basic/transports#resumability
 */
export class ResumableStream {
  readonly id: string
  /** Where its events are kept, if the edition lets clients come back for them. */
  readonly #shelf: StreamStorage | undefined
  #carrier: EventStream | undefined
  #seq = 0
  #done = false

  constructor(id: string, shelf: StreamStorage | undefined) {
    this.id = id
    this.#shelf = shelf
  }

  get isConnected(): boolean {
    return this.#carrier?.open === true
  }

  /** Finished, or left by its client: it is kept only in case someone comes back for it. */
  get disposable(): boolean {
    return this.#done || !this.isConnected
  }

  /** The id of the event that comes before all others. */
  get beginning(): string {
    return `${this.id}-0`
  }

  connect(events: EventStream): void {
    this.#carrier?.end()
    this.#carrier = events
    events.onClose(() => {
      if (this.#carrier === events) this.#carrier = undefined
    })
  }

  /** Whether everything after that event can still be told. */
  remembers(seq: number): boolean {
    return seq === this.#seq || (seq < this.#seq && this.#after(seq) !== undefined)
  }

  /** Goes on where the client lost it, over a new connection. */
  resume(events: EventStream, after: number): void {
    this.connect(events)
    for (const { seq, data } of this.#after(after) ?? []) events.send({ id: `${this.id}-${seq}`, data })
    if (this.#done) events.end()
  }

  send(data: string): void {
    const seq = ++this.#seq
    this.#shelf?.store.append(this.#shelf.session, this.id, { seq, data })
    this.#carrier?.send(this.#shelf ? { id: `${this.id}-${seq}`, data } : { data })
  }

  #after(seq: number): ReturnType<EventStore['after']> {
    return this.#shelf?.store.after(this.#shelf.session, this.id, seq)
  }

  /** Nothing more will come. */
  finish(): void {
    this.#done = true
    this.#carrier?.end()
  }

  /** Ends the connection, not the stream: the client comes back after `retryMs`. */
  hangUp(retryMs: number): void {
    this.#carrier?.send({ retry: retryMs })
    this.#carrier?.end()
    this.#carrier = undefined
  }
}
