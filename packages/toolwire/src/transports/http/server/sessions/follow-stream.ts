import type { EventStream } from '../streams/event-stream.js'
import type { EventStore, StoredEvent } from './event-store.js'
import { type ResumableStream, sendStored } from './resumable-stream.js'

const lookEveryMs = 500
/** Longer than a call may be silent; the replica that wrote the stream may have ended. */
const followForMs = 600_000

/** Milliseconds between attempts to read an event that its client received before it was stored. */
const pauses = [0, 100, 200, 400, 800]

type StreamPlace = { readonly session: string; readonly stream: string }

/** The events that another replica has stored; undefined if it has stored none, and stores none within a moment. */
export async function storedEventsAfter(
  store: EventStore,
  { session, stream }: StreamPlace,
  seq: number,
): Promise<readonly StoredEvent[] | undefined> {
  for (const pauseMs of pauses) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const kept = await store.after(session, stream, seq)
    if (kept) return kept
    // A stream that has sent nothing yet is unknown to the store.
    if (seq === 0) return []
  }
  return undefined
}

const lateMs = 1_000

/** Sends events that the earlier replica has stored only after its client came here. */
export async function sendLateEvents(
  stream: ResumableStream,
  { store, session }: { readonly store: EventStore; readonly session: string },
): Promise<void> {
  const reached = stream.latest()
  await new Promise((resolve) => setTimeout(resolve, lateMs))
  if (stream.latest() === reached) stream.tell((await store.after(session, stream.id, reached)) ?? [])
}

/** Follows a stream whose request another replica answers: sends the events that it stores, until the stream ends. */
export async function followStream(
  { store, session, stream }: StreamPlace & { readonly store: EventStore },
  from: number,
  events: EventStream,
): Promise<void> {
  let at = from
  let heardAt = performance.now()
  while (events.isOpen() && performance.now() - heardAt < followForMs) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    const more = await store.after(session, stream, at)
    // A stream that has sent nothing yet is unknown to the store.
    if (!more && at > 0) break
    if (more && sendStored(events, stream, more)) break
    at = more?.at(-1)?.seq ?? at
    if (more && more.length > 0) heardAt = performance.now()
  }
  events.end()
}
