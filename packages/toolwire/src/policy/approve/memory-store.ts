import { withDeadline } from '../../bounds/deadline.js'
import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import { readApprovalAnswer } from './approval.js'
import type { ApprovalAdded, ApprovalState, ApprovalStore, PendingApproval, SettledApproval } from './store.js'

type Entry = {
  asked: PendingApproval
  readonly until: number
  is: ApprovalState
  /** Told when it is no longer pending. */
  readonly waiting: ((settled: SettledApproval) => void)[]
}

const mostKept = 10_000
const usualPage = 100

/**
 * Calls that wait for people elsewhere, kept in memory. Setting the clock back gives nobody more time.
 *
 * @example
 * ```ts
 * const store = memoryApprovals()
 * const policy = approve({ ask: approvalQueue(store) })
 * ```
 */
export function memoryApprovals(now: () => number = () => performance.now()): ApprovalStore {
  const kept = new Map<string, Entry>()
  /** Ids by call digest, of those that are not held. */
  const open = new Map<string, string>()
  const listeners = new Set<() => void>()

  const live = (id: string | undefined): Entry | undefined => {
    const entry = id === undefined ? undefined : kept.get(id)
    return entry && entry.until > now() ? entry : undefined
  }
  const found = ({ callDigest }: PendingApproval) => live(open.get(callDigest))
  const isPending = ({ is }: Entry) => is.state === 'pending'
  const allPending = () => [...kept.values()].flatMap((entry) => (entry.until > now() && isPending(entry) ? [entry.asked] : []))

  function forget(id: string): void {
    const entry = kept.get(id)
    kept.delete(id)
    if (entry && open.get(entry.asked.callDigest) === id) open.delete(entry.asked.callDigest)
  }

  function move(entry: Entry, to: SettledApproval): true {
    entry.is = to
    for (const tell of entry.waiting.splice(0)) tell(to)
    return changed()
  }

  function changed(): true {
    for (const listener of listeners) listener()
    return true
  }

  /** As much as there is room for, and no more pending of one caller than may be. */
  function hasRoom({ caller }: PendingApproval, most: number): boolean {
    const at = now()
    let own = 0
    for (const [id, entry] of kept)
      if (entry.until <= at) forget(id)
      else if (isPending(entry) && entry.asked.caller === caller) own++
    return own < most && kept.size < mostKept
  }

  return {
    add(asked, most): ApprovalAdded {
      if (!asked.held && found(asked)) return 'known'
      if (kept.has(asked.id) || !hasRoom(asked, most)) return 'full'
      const until = now() + asked.expiresAt - Date.now()
      kept.set(asked.id, { asked: Object.freeze(asked), until, is: { state: 'pending' }, waiting: [] })
      if (!asked.held) open.set(asked.callDigest, asked.id)
      changed()
      return 'added'
    },
    decide(id, answer) {
      const entry = live(id)
      if (!entry || !isPending(entry)) return false
      const { allowed, ...more } = readApprovalAnswer(answer)
      return move(entry, { state: allowed ? 'allowed' : 'denied', ...more })
    },
    release(id, digest) {
      const entry = live(id)
      if (entry?.is.state !== 'allowed' || entry.asked.digest !== digest) return false
      forget(id)
      return move(entry, { state: 'released' })
    },
    leave(id) {
      const entry = live(id)
      if (!entry || found(entry.asked)) return false
      entry.asked = Object.freeze({ ...entry.asked, held: false })
      open.set(entry.asked.callDigest, id)
      return changed()
    },
    withdraw(id) {
      const entry = kept.get(id)
      forget(id)
      if (entry) move(entry, { state: 'gone' })
    },
    pending: (most = usualPage) => allPending().slice(0, most),
    matching: (callDigest) => live(open.get(callDigest)),
    async settled(id, signal) {
      const entry = live(id)
      if (!entry) return { state: kept.has(id) ? 'expired' : 'gone' }
      if (entry.is.state !== 'pending') return entry.is
      const settled = new Promise<SettledApproval>((resolve) => void entry.waiting.push(resolve))
      const answer = Promise.race([settled, rejectOnAbort(signal)])
      // A timer may fire a moment early, when it could still be decided.
      return withDeadline(entry.until - now() + 1, answer, () => ({ state: 'expired' }) as const)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
