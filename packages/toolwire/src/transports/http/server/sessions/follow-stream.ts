import type { EventStream } from '../streams/event-stream.js'
import type { EventStore, StoredEvent } from './event-store.js'
import { type ResumableStream, sendStored } from './resumable-stream.js'

const lookEveryMs = 500
/** Longer than a call is silent; the replica that wrote it may have ended. */
const followForMs = 600_000

/** Milliseconds after which it is looked again for an event that its client has had before it was kept. */
const pauses = [0, 100, 200, 400, 800]

type StreamPlace = { readonly session: string; readonly stream: string }

/** What another replica has kept; undefined when it has kept nothing of the kind, and does not do so in a moment. */
export async function keptAfter(
  store: EventStore,
  { session, stream }: StreamPlace,
  seq: number,
): Promise<readonly StoredEvent[] | undefined> {
  for (const pauseMs of pauses) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const kept = await store.after(session, stream, seq)
    if (kept) return kept
    // Of one that has sent nothing yet, nothing is known.
    if (seq === 0) return []
  }
  return undefined
}

const lateMs = 1_000

/** What the earlier replica sent last may have been kept only after its client had come here. */
export async function tellLate(
  stream: ResumableStream,
  { store, session }: { readonly store: EventStore; readonly session: string },
): Promise<void> {
  const reached = stream.latest()
  await new Promise((resolve) => setTimeout(resolve, lateMs))
  if (stream.latest() === reached) stream.tell((await store.after(session, stream.id, reached)) ?? [])
}

/** Where a client has come back to another replica than the one that answers its request: sends what that one writes, until it is done. */
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
    // Of one that has sent nothing yet, nothing is known.
    if (!more && at > 0) break
    if (more && sendStored(events, stream, more)) break
    at = more?.at(-1)?.seq ?? at
    if (more && more.length > 0) heardAt = performance.now()
  }
  events.end()
}
