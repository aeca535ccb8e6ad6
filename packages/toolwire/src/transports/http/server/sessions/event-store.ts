/** An event as it was sent, by its number within its stream. */
export type StoredEvent = { readonly seq: number; readonly data: string }

/** Keeps what was sent on the streams of a session, for clients that lost their connection. */
export interface EventStore {
  /** Events of one stream are numbered from 1. */
  append(session: string, stream: string, event: StoredEvent): void
  /** What came after that number; undefined when the stream is unknown or part of it is gone. */
  after(session: string, stream: string, seq: number): readonly StoredEvent[] | undefined
  forget(session: string): void
}

type StoreLimits = { readonly streamBytes: number; readonly sessionBytes: number; readonly totalBytes: number }
const defaults: StoreLimits = { streamBytes: 1024 * 1024, sessionBytes: 2 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 }

type Kept = { readonly session: string; readonly stream: string; readonly events: StoredEvent[]; dropped: number; bytes: number }

/**
 * Events in memory, the oldest of which make room for the newest: in each stream, each session, and in all.
 *
 * @example
 * ```ts
 * const { url } = await listen(app, { events: new MemoryEvents() })
 * ```
 */
export class MemoryEvents implements EventStore {
  readonly #limits: StoreLimits
  /** By session and stream; those that grew last stand last. */
  readonly #sessions = new Map<string, Map<string, Kept>>()
  #bytes = 0

  constructor(limits: Partial<StoreLimits> = {}) {
    this.#limits = { ...defaults, ...limits }
  }

  append(session: string, stream: string, event: StoredEvent): void {
    const streams = this.#sessions.get(session) ?? new Map<string, Kept>()
    const kept = streams.get(stream) ?? { session, stream, events: [], dropped: event.seq - 1, bytes: 0 }
    moveToEnd(streams, stream, kept)
    moveToEnd(this.#sessions, session, streams)
    kept.events.push(event)
    this.#grow(kept, sizeOf(event))
    while (kept.bytes > this.#limits.streamBytes && kept.events.length > 1) this.#dropFirst(kept)
    while (streams.size > 1 && bytesOf(streams) > this.#limits.sessionBytes) this.#dropOldest(streams)
    while (this.#sessions.size > 1 && this.#bytes > this.#limits.totalBytes) this.forget(firstOf(this.#sessions.keys()))
  }

  after(session: string, stream: string, seq: number): readonly StoredEvent[] | undefined {
    const kept = this.#sessions.get(session)?.get(stream)
    if (!kept || seq < kept.dropped) return undefined
    return kept.events.filter((event) => event.seq > seq)
  }

  forget(session: string): void {
    const streams = this.#sessions.get(session)
    if (!streams) return
    this.#bytes -= bytesOf(streams)
    this.#sessions.delete(session)
  }

  #grow(kept: Kept, by: number): void {
    kept.bytes += by
    this.#bytes += by
  }

  #dropFirst(kept: Kept): void {
    const first = kept.events.shift()
    if (!first) return
    kept.dropped = first.seq
    this.#grow(kept, -sizeOf(first))
  }

  #dropOldest(streams: Map<string, Kept>): void {
    const oldest = firstOf(streams.keys())
    this.#bytes -= streams.get(oldest)?.bytes ?? 0
    streams.delete(oldest)
  }
}

/** What an event takes besides its text. */
const overhead = 100
const sizeOf = (event: StoredEvent) => event.data.length + overhead

const bytesOf = (streams: ReadonlyMap<string, Kept>) => {
  let sum = 0
  for (const kept of streams.values()) sum += kept.bytes
  return sum
}

function moveToEnd<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
}

function firstOf<T>(values: Iterable<T>): T {
  for (const value of values) return value
  throw new Error('There is no first among none')
}
