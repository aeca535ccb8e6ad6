// Tells of calls that begin to wait for a decision, and of those that no longer do.
import type { ApprovalStore, AskedElsewhere } from 'toolwire/guard'

export type PendingListener = {
  readonly asked: (one: AskedElsewhere) => void
  readonly over: (id: string) => void
  readonly failed: (why: unknown) => void
}

const mostWatched = 1_000

/** Calls back until the returned function is called. What waits already is told of at once. */
export function watchPending(store: ApprovalStore, listener: PendingListener): () => void {
  let known = new Set<string>()
  let looking = false
  let again = false

  async function look(): Promise<void> {
    const pending = await store.pending(mostWatched)
    const now = new Set(pending.map(({ id }) => id))
    for (const one of pending) if (!known.has(one.id)) listener.asked(one)
    for (const id of known) if (!now.has(id)) listener.over(id)
    known = now
  }

  /** What changes while it is being looked at is looked at after it. */
  async function turn(): Promise<void> {
    again = true
    if (looking) return
    looking = true
    while (again) {
      again = false
      await look().catch(listener.failed)
    }
    looking = false
  }

  void turn()
  return store.onChange(() => void turn())
}
