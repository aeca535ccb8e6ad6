/** An event as it was sent, with its number in the stream. */
export type StoredEvent = {
  readonly seq: number
  readonly data: string
  /** Marks the end of the stream; this event itself is not sent. */
  readonly end?: boolean
}

/** Keeps events that were sent in a session, for clients that lost their connection. */
export interface EventStore {
  /** Events of one stream are numbered from 1. */
  append(session: string, stream: string, event: StoredEvent): void | Promise<void>
  /** The events after that number; undefined if the stream is unknown, or part of it is gone. */
  after(
    session: string,
    stream: string,
    seq: number,
  ): readonly StoredEvent[] | undefined | Promise<readonly StoredEvent[] | undefined>
  forget(session: string): void | Promise<void>
  /** True if other replicas use the same store, so that a client may resume at any of them. */
  readonly shared?: boolean
}

const defaults = { streamBytes: 1024 * 1024, sessionBytes: 2 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 }

type Kept = { readonly events: StoredEvent[]; dropped: number; bytes: number }
type KeptSession = { readonly streams: Map<string, Kept>; bytes: number }

/**
 * Keeps events in memory. The oldest make room for the newest: in each stream, each session, and in total.
 *
 * @example
 * ```ts
 * const { url } = await listen(app, { events: new MemoryEvents() })
 * ```
 */
export class MemoryEvents implements EventStore {
  readonly #limits: typeof defaults
  /** By session and stream, in the order of their latest events. */
  readonly #sessions = new Map<string, KeptSession>()
  #bytes = 0

  constructor(limits: Partial<typeof defaults> = {}) {
    this.#limits = { ...defaults, ...limits }
  }

  append(session: string, stream: string, event: StoredEvent): void {
    const { streamBytes, sessionBytes, totalBytes } = this.#limits
    const ours = this.#sessions.get(session) ?? { streams: new Map<string, Kept>(), bytes: 0 }
    const { streams } = ours
    const kept = streams.get(stream) ?? { events: [], dropped: event.seq - 1, bytes: 0 }
    if (kept.bytes === 0) this.#grow(ours, kept, ofStream)
    moveToEnd(streams, stream, kept)
    moveToEnd(this.#sessions, session, ours)
    kept.events.push(event)
    this.#grow(ours, kept, sizeOf(event))
    while (kept.bytes - ofStream > streamBytes && kept.events.length > 1) this.#dropFirst(ours, kept)
    for (const [name, { bytes }] of streams) {
      if (streams.size === 1 || ours.bytes <= sessionBytes) break
      streams.delete(name)
      ours.bytes -= bytes
      this.#bytes -= bytes
    }
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size === 1 || this.#bytes <= totalBytes) break
      this.forget(oldest)
    }
  }

  after(session: string, stream: string, seq: number): readonly StoredEvent[] | undefined {
    const kept = this.#sessions.get(session)?.streams.get(stream)
    if (!kept || seq < kept.dropped || seq > (kept.events.at(-1)?.seq ?? seq)) return undefined
    return kept.events.filter((event) => event.seq > seq)
  }

  forget(session: string): void {
    this.#bytes -= this.#sessions.get(session)?.bytes ?? 0
    this.#sessions.delete(session)
  }

  #grow(session: KeptSession, kept: Kept, by: number): void {
    kept.bytes += by
    session.bytes += by
    this.#bytes += by
  }

  #dropFirst(session: KeptSession, kept: Kept): void {
    const first = kept.events.shift()
    if (!first) return
    kept.dropped = first.seq
    this.#grow(session, kept, -sizeOf(first))
  }
}

/** Estimated size of an event besides its text, and of a stream besides its events. */
const ofEvent = 100
const ofStream = 400
const sizeOf = (event: StoredEvent) => event.data.length + ofEvent

function moveToEnd<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
}
