import type { EventStream } from '../streams/event-stream.js'
import type { EventStore } from './event-store.js'
import { sendStored } from './resumable-stream.js'

const lookEveryMs = 500
/** Longer than a call is silent; whoever has written it may have ended. */
const followForMs = 600_000

/** Where a client has come back to another replica than the one that answers its request: sends what that one writes, until it is done. */
export async function followStream(
  { store, session, stream }: { readonly store: EventStore; readonly session: string; readonly stream: string },
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
