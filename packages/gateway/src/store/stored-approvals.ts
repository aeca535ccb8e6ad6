import type { ApprovalAnswer, ApprovalStore, AskedElsewhere, Settled } from 'toolwire/guard'
import type { Among, QueueQuery } from './database/approval-queue.js'
import { momentOf } from './database/moment.js'
import type { Desk } from './desk.js'
import type { Health } from './health.js'
import {
  askedIn,
  foundIn,
  type KeptRequest,
  type PastApproval,
  type QueuedRequest,
  type QueuePage,
  queuedIn,
  requestIn,
  rowOf,
  stateOf,
  verdictOf,
} from './kept-requests.js'
import { Settling } from './settling.js'

/** A request begins to wait, or does so no longer. */
export type Move =
  | { readonly what: 'asked'; readonly asked: AskedElsewhere }
  | { readonly what: 'over'; readonly id: string; readonly is: Settled; readonly by?: string }

/** Requests for approval, in the database. What was pending when the process ended is pending in the next one, while there is time. */
export type StoredApprovals = Omit<ApprovalStore, 'decide' | 'pending'> & {
  /** As every store does, and keeps who it was. */
  decide(id: string, answer: ApprovalAnswer, by?: string): Promise<boolean>
  pending(most?: number): Promise<readonly AskedElsewhere[]>
  /** Denies all of these that wait, and gives their ids. */
  denyAll(which: Among, verdict: { readonly why?: string; readonly by: string }): Promise<readonly string[]>
  find(id: string): Promise<KeptRequest | undefined>
  /** One that waits. */
  waiting(id: string): Promise<QueuedRequest | undefined>
  queue(query: QueueQuery): Promise<QueuePage>
  /** What became of requests, the latest first; 1,000 are kept of those that are over. */
  history(most?: number): Promise<readonly PastApproval[]>
  /** Calls back with every move that is made here, until the returned function is called. */
  onMove(listener: (move: Move) => void): () => void
}

type Parts = { readonly desk: Desk; readonly health: Health; readonly now: () => number }

const usualPage = 100

export function storedApprovals({ desk, health, now }: Parts): StoredApprovals {
  const settling = new Settling()
  const listeners = new Set<() => void>()
  const followers = new Set<(move: Move) => void>()
  const moment = () => momentOf(now())

  function moved(move: Move): void {
    if (move.what === 'over') settling.tell(move.id, move.is)
    for (const follower of followers) follower(move)
    for (const listener of listeners) listener()
  }

  async function standing(id: string): Promise<Settled | { leftMs: number }> {
    const found = await desk.ask('standing', id, moment())
    if (!found) return { state: 'gone' }
    const is = stateOf(found.kept)
    return is.state === 'pending' ? { leftMs: found.leftMs } : is
  }

  return {
    async add(asked, most) {
      const added = await health.of(desk.ask('addApproval', rowOf(asked), most, moment()))
      if (added === 'added') moved({ what: 'asked', asked })
      return added
    },
    async decide(id, answer, by) {
      const is = verdictOf(answer)
      const done = await health.of(desk.ask('decide', id, { ...is, ...(by !== undefined && { by }) }, moment()))
      if (done) moved({ what: 'over', id, is, ...(by !== undefined && { by }) })
      return done
    },
    async denyAll(which, verdict) {
      const ids = await health.of(desk.ask('denyAll', which, verdict, moment()))
      const is = { state: 'denied', ...(verdict.why !== undefined && { why: verdict.why }) } as const
      for (const id of ids) moved({ what: 'over', id, is, by: verdict.by })
      return ids
    },
    async release(id, digest) {
      const done = await health.of(desk.ask('release', id, digest, moment()))
      if (done) moved({ what: 'over', id, is: { state: 'released' } })
      return done
    },
    leave: (id) => health.of(desk.ask('leaveApproval', id, moment())),
    async withdraw(id) {
      if (await health.of(desk.ask('withdraw', id))) moved({ what: 'over', id, is: { state: 'gone' } })
    },
    pending: async (most = usualPage) => (await desk.ask('pending', most, moment())).map(askedIn),
    async matching(callDigest) {
      const kept = await desk.ask('matching', callDigest, moment())
      return kept && foundIn(kept)
    },
    settled: (id, signal) => settling.wait(id, signal, () => standing(id)),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onMove(listener) {
      followers.add(listener)
      return () => void followers.delete(listener)
    },
    async find(id) {
      const found = await desk.ask('standing', id, moment())
      return found && requestIn(found.kept)
    },
    async waiting(id) {
      const found = await desk.ask('waiting', id, moment())
      return found && queuedIn(found)
    },
    async queue(query) {
      const { page, ...queue } = await desk.ask('queue', query, moment())
      return { ...queue, page: page.map(queuedIn) }
    },
    history: async (most = usualPage) => (await desk.ask('history', most, moment())).map(requestIn),
  }
}
