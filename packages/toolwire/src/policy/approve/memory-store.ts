import { withDeadline } from '../../bounds/deadline.js'
import { KeyedCounts } from '../../bounds/keyed-counts.js'
import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import { type RoomLimits, sharedRoom } from '../../bounds/shared-room.js'
import { checkOptions, optionsLike, withGiven } from '../../tools/checks/known-options.js'
import { atLeast } from '../../tools/checks/option-values.js'
import { readApprovalAnswer } from './approval.js'
import { ExpiryList } from './expiry-list.js'
import type { ApprovalAdded, ApprovalState, ApprovalStore, PendingApproval, SettledApproval } from './store.js'

type Entry = {
  asked: PendingApproval
  readonly until: number
  is: ApprovalState
  /** Called when the request is no longer pending. */
  readonly waiting: ((settled: SettledApproval) => void)[]
  /** Frees the room of long arguments. */
  readonly free: (() => void) | undefined
}

/** Decided requests count as well, until they are used or expire. */
const mostKept = { each: 5_000, all: 10_000 }
/** Shorter arguments do not count, so that small calls always find room. */
export const longCharacters = 16_384
/** Limits of the characters of long arguments: parsed, many small objects take up to 25 times their text. */
export const argumentsRoom = { each: 8_388_608, all: 16_777_216 }
const usualPage = 100

/**
 * Keeps pending approvals in memory. There are at most 10,000, half of them of one caller. Setting the clock back gives nobody more time.
 * `room` limits the characters of arguments of more than 16,384 characters, for each caller and for all; a caller may always have one such
 * request, and so may all of them together.
 *
 * @example
 * ```ts
 * const store = memoryApprovals()
 * const policy = approve({ ask: approvalQueue(store) })
 * ```
 */
export function memoryApprovals(now: () => number = () => performance.now(), room: RoomLimits = argumentsRoom): ApprovalStore {
  checkOptions('`room`', room, optionsLike(argumentsRoom, atLeast(0)))
  const kept = new Map<string, Entry>()
  const byExpiry = new ExpiryList<Entry>()
  const pendingByCaller = new KeyedCounts<string>()
  const keptByCaller = new KeyedCounts<string>(mostKept.each)
  const longArguments = sharedRoom(withGiven(argumentsRoom, room))
  /** Ids by call digest, for requests that are not held. */
  const open = new Map<string, string>()
  const listeners = new Set<() => void>()

  const live = (id: string | undefined): Entry | undefined => {
    const entry = id === undefined ? undefined : kept.get(id)
    return entry && entry.until > now() ? entry : undefined
  }
  const found = ({ callDigest }: PendingApproval) => live(open.get(callDigest))
  const isPending = ({ is }: Entry) => is.state === 'pending'
  const allPending = () => [...kept.values()].flatMap((entry) => (entry.until > now() && isPending(entry) ? [entry.asked] : []))

  /** Removes an entry that `byExpiry` no longer has. */
  function drop(entry: Entry): void {
    const { id, caller, callDigest } = entry.asked
    kept.delete(id)
    if (open.get(callDigest) === id) open.delete(callDigest)
    if (isPending(entry)) pendingByCaller.add(caller, -1)
    keptByCaller.add(caller, -1)
    entry.free?.()
  }

  function forget(entry: Entry): void {
    byExpiry.remove(entry)
    drop(entry)
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

  return {
    add(asked, most): ApprovalAdded {
      if (!asked.held && found(asked)) return 'known'
      if (kept.has(asked.id)) return 'full'
      for (const entry of byExpiry.takeExpired(now())) drop(entry)
      if (!pendingByCaller.hasRoom(asked.caller, most) || !keptByCaller.hasRoom(asked.caller)) return 'full'
      const { length } = asked.display
      const isLong = length > longCharacters
      if (kept.size >= mostKept.all || (isLong && !longArguments.hasRoom(asked.caller, length))) return 'full'
      const until = now() + asked.expiresAt - Date.now()
      const free = isLong ? longArguments.take(asked.caller, length) : undefined
      const entry: Entry = { asked: Object.freeze(asked), until, is: { state: 'pending' }, waiting: [], free }
      kept.set(asked.id, entry)
      byExpiry.add(entry)
      pendingByCaller.add(asked.caller, 1)
      keptByCaller.add(asked.caller, 1)
      if (!asked.held) open.set(asked.callDigest, asked.id)
      changed()
      return 'added'
    },
    decide(id, answer) {
      const entry = live(id)
      if (!entry || !isPending(entry)) return false
      const { allowed, ...more } = readApprovalAnswer(answer)
      pendingByCaller.add(entry.asked.caller, -1)
      return move(entry, { state: allowed ? 'allowed' : 'denied', ...more })
    },
    release(id, digest) {
      const entry = live(id)
      if (entry?.is.state !== 'allowed' || entry.asked.digest !== digest) return false
      forget(entry)
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
      if (!entry) return
      forget(entry)
      move(entry, { state: 'gone' })
    },
    pending: (most = usualPage) => allPending().slice(0, most),
    matching: (callDigest) => live(open.get(callDigest)),
    async settled(id, signal) {
      const entry = live(id)
      if (!entry) return { state: kept.has(id) ? 'expired' : 'gone' }
      if (entry.is.state !== 'pending') return entry.is
      return settledIn(entry, now, signal)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** How a pending request is settled; rejects when the signal is aborted. */
async function settledIn(entry: Entry, now: () => number, signal: AbortSignal): Promise<SettledApproval> {
  const settled = new Promise<SettledApproval>((resolve) => void entry.waiting.push(resolve))
  const answer = Promise.race([settled, rejectOnAbort(signal)])
  // A timer may fire a moment early, while the request could still be decided.
  let found: SettledApproval | undefined
  while (!found) {
    found = await withDeadline(entry.until - now(), answer, () => (entry.until > now() ? undefined : { state: 'expired' }))
  }
  return found
}
