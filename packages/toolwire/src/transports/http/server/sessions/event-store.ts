import { KeyedCounts } from '../../../../bounds/keyed-counts.js'
import { checkOptions, optionsLike, withGiven } from '../../../../tools/checks/known-options.js'
import { atLeast } from '../../../../tools/checks/option-values.js'

/** An event as it was sent, with its number in the stream. */
export type StoredEvent = {
  readonly seq: number
  readonly data: string
  /** Marks the end of the stream; this event itself is not sent. */
  readonly end?: boolean
}

/** Keeps events that were sent in a session, for clients that lost their connection. */
export interface EventStore {
  /** Events of one stream are numbered from 1. `caller` is the id of the session's caller, so that the store can share its room fairly. */
  append(session: string, stream: string, event: StoredEvent, caller?: string): void | Promise<void>
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
const known = optionsLike(defaults, atLeast(0))

type Kept = { readonly events: StoredEvent[]; dropped: number; bytes: number }
type KeptSession = { readonly caller: string; readonly streams: Map<string, Kept>; bytes: number }

/**
 * Keeps events in memory. The oldest make room for the newest: in each stream, each session, and in total. In total, they are those of the
 * caller who has the most.
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
  readonly #bytesByCaller = new KeyedCounts<string>()
  #bytes = 0

  constructor(limits: Partial<typeof defaults> = {}) {
    checkOptions('MemoryEvents', limits, known)
    this.#limits = withGiven(defaults, limits)
  }

  append(session: string, stream: string, event: StoredEvent, caller = ''): void {
    const { streamBytes, sessionBytes, totalBytes } = this.#limits
    const ours = this.#sessions.get(session) ?? { caller, streams: new Map<string, Kept>(), bytes: 0 }
    const { streams } = ours
    const kept = streams.get(stream) ?? { events: [], dropped: event.seq - 1, bytes: 0 }
    if (kept.bytes === 0) this.#grow(ours, kept, ofStream)
    moveToEnd(streams, stream, kept)
    moveToEnd(this.#sessions, session, ours)
    kept.events.push(event)
    this.#grow(ours, kept, sizeOf(event))
    while (kept.bytes - ofStream > streamBytes && this.#dropFirst(ours, kept));
    while (ours.bytes > sessionBytes && this.#dropOldestStream(ours));
    while (this.#bytes > totalBytes && this.#makeRoomFor(ours));
  }

  after(session: string, stream: string, seq: number): readonly StoredEvent[] | undefined {
    const kept = this.#sessions.get(session)?.streams.get(stream)
    if (!kept || seq < kept.dropped || seq > (kept.events.at(-1)?.seq ?? seq)) return undefined
    return kept.events.filter((event) => event.seq > seq)
  }

  forget(session: string): void {
    const known = this.#sessions.get(session)
    if (known) this.#count(known, -known.bytes)
    this.#sessions.delete(session)
  }

  #grow(session: KeptSession, kept: Kept, by: number): void {
    kept.bytes += by
    this.#count(session, by)
  }

  #count(session: KeptSession, by: number): void {
    session.bytes += by
    this.#bytes += by
    this.#bytesByCaller.add(session.caller, by)
  }

  /** Drops something of the caller who has the most, but never the latest event of this session; false if nothing else is left. */
  #makeRoomFor(ours: KeptSession): boolean {
    const most = this.#bytesByCaller.largest()
    if (this.#dropOldestSession((one) => one !== ours && one.caller === most)) return true
    // That caller has only this session.
    const [kept] = ours.streams.values()
    if (this.#dropOldestStream(ours) || (kept && this.#dropFirst(ours, kept))) return true
    return this.#dropOldestSession((one) => one !== ours)
  }

  #dropOldestSession(may: (session: KeptSession) => boolean): boolean {
    for (const [id, session] of this.#sessions) {
      if (!may(session)) continue
      this.forget(id)
      return true
    }
    return false
  }

  /** False if the session has only the stream of its latest event. */
  #dropOldestStream(session: KeptSession): boolean {
    const [oldest] = session.streams
    if (!oldest || session.streams.size === 1) return false
    const [name, { bytes }] = oldest
    session.streams.delete(name)
    this.#count(session, -bytes)
    return true
  }

  /** False if there is only the latest event. */
  #dropFirst(session: KeptSession, kept: Kept): boolean {
    const [first] = kept.events
    if (!first || kept.events.length === 1) return false
    kept.events.shift()
    kept.dropped = first.seq
    this.#grow(session, kept, -sizeOf(first))
    return true
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
