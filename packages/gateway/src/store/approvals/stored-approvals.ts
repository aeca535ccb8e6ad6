import type { ApprovalAnswer, ApprovalStore, PendingApproval } from 'toolwire/guard'
import type { approvals } from 'toolwire/relay'
import type { ApprovalFilter, QueueQuery } from '../database/approvals/approval-queue-query.js'
import { type ClockMoment, readClock } from '../database/thread/clock-moment.js'
import type { Sealer } from '../secrets/seal.js'
import type { StoreHealth } from '../store-health.js'
import type { ThreadClient } from '../thread-client.js'
import {
  type ApprovalQueuePage,
  type ApprovalRecord,
  approvalIn,
  approvalRecordOf,
  approvalStateOf,
  askedApprovalOf,
  decisionOf,
  newApprovalOf,
  type PastApproval,
  type QueuedApprovalRecord,
  queuedRecordOf,
  recordText,
} from './approval-records.js'
import { DecisionWaiters } from './decision-waiters.js'
import { type SealedArguments, sealedArguments } from './sealed-arguments.js'

/** A request begins to wait, or does so no longer. */
export type ApprovalEvent =
  | { readonly what: 'asked'; readonly asked: PendingApproval }
  | { readonly what: 'over'; readonly id: string; readonly is: approvals.SettledApproval; readonly by?: string }

/** Requests for approval, in the database. What was pending when the process ended is pending in the next one, while there is time. */
export type StoredApprovals = Omit<ApprovalStore, 'decide' | 'pending'> & {
  /** As every store does, and keeps who it was. */
  decide(id: string, answer: ApprovalAnswer, by?: string): Promise<boolean>
  pending(most?: number): Promise<readonly PendingApproval[]>
  /** Denies all of these that wait, and gives their ids. */
  denyAll(which: ApprovalFilter, verdict: { readonly why?: string; readonly by: string }): Promise<readonly string[]>
  find(id: string): Promise<ApprovalRecord | undefined>
  /** One that waits. */
  waiting(id: string): Promise<QueuedApprovalRecord | undefined>
  queue(query: QueueQuery): Promise<ApprovalQueuePage>
  /** What became of requests, the latest first; 1,000 are kept of those that are over. */
  history(most?: number): Promise<readonly PastApproval[]>
  /** Calls back with every move that is made here, until the returned function is called. */
  onMove(listener: (move: ApprovalEvent) => void): () => void
  /** Looks no longer for those whose time is over. */
  close(): void
}

type Parts = {
  readonly desk: ThreadClient
  readonly health: StoreHealth
  readonly seal: Sealer
  readonly now: () => number
  readonly onNote: (words: string) => void
}

const usualPage = 100
const sweepEveryMs = 5_000

export async function storedApprovals({ desk: threadClient, health, seal, now, onNote }: Parts): Promise<StoredApprovals> {
  const calls = sealedArguments(seal)
  await sealOld(threadClient, calls)
  await dropUnreadable({ desk: threadClient, calls, onNote, moment: readClock(now()) })
  let sweeping: NodeJS.Timeout | undefined
  const settling = new DecisionWaiters()
  const listeners = new Set<() => void>()
  const followers = new Set<(move: ApprovalEvent) => void>()
  const moment = () => readClock(now())

  function moved(move: ApprovalEvent): void {
    if (move.what === 'over') settling.tell(move.id, move.is)
    for (const follower of followers) follower(move)
    for (const listener of listeners) listener()
  }

  /** Nobody says so when the time of a call is over, and its arguments are to go then. */
  function sweepLater(): void {
    sweeping ??= setTimeout(() => {
      health.of(threadClient.run('expireApprovals', moment())).then(
        (waiting) => {
          if (sweeping === undefined) return
          sweeping = undefined
          if (waiting > 0) sweepLater()
        },
        () => {
          // The store tells what is wrong with the disk; the next request begins anew.
          sweeping = undefined
        },
      )
    }, sweepEveryMs).unref()
  }
  sweepLater()

  async function standing(id: string): Promise<approvals.SettledApproval | { leftMs: number }> {
    const found = await threadClient.run('standing', id, moment())
    if (!found) return { state: 'gone' }
    const is = approvalStateOf(found.kept)
    return is.state === 'pending' ? { leftMs: found.leftMs } : is
  }

  return {
    async add(asked, most) {
      const added = await health.of(threadClient.run('addApproval', newApprovalOf(asked, calls), most, moment()))
      sweepLater()
      if (added === 'added') moved({ what: 'asked', asked })
      return added
    },
    async decide(id, answer, by) {
      const is = decisionOf(answer)
      const done = await health.of(threadClient.run('decide', id, { ...is, ...(by !== undefined && { by }) }, moment()))
      if (done) moved({ what: 'over', id, is, ...(by !== undefined && { by }) })
      return done
    },
    async denyAll(which, verdict) {
      const ids = await health.of(threadClient.run('denyAll', which, verdict, moment()))
      const is = { state: 'denied', ...(verdict.why !== undefined && { why: verdict.why }) } as const
      for (const id of ids) moved({ what: 'over', id, is, by: verdict.by })
      return ids
    },
    async release(id, digest) {
      const done = await health.of(threadClient.run('release', id, digest, moment()))
      if (done) moved({ what: 'over', id, is: { state: 'released' } })
      return done
    },
    leave: (id) => health.of(threadClient.run('leaveApproval', id, moment())),
    async withdraw(id) {
      if (await health.of(threadClient.run('withdraw', id))) moved({ what: 'over', id, is: { state: 'gone' } })
    },
    pending: async (most = usualPage) =>
      (await threadClient.run('pending', most, moment())).map((kept) => askedApprovalOf(kept, calls)),
    async matching(callDigest) {
      const kept = await threadClient.run('matching', callDigest, moment())
      return kept && approvalIn(kept, calls)
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
      const found = await threadClient.run('standing', id, moment())
      return found && approvalRecordOf(found.kept, calls)
    },
    async waiting(id) {
      const found = await threadClient.run('waiting', id, moment())
      return found && queuedRecordOf(found, calls)
    },
    async queue(query) {
      const { page, ...queue } = await threadClient.run('queue', query, moment())
      return { ...queue, page: page.map((queued) => queuedRecordOf(queued, calls)) }
    },
    history: async (most = usualPage) =>
      (await threadClient.run('history', most, moment())).map((kept) => approvalRecordOf(kept, calls)),
    close() {
      clearTimeout(sweeping)
      sweeping = undefined
    },
  }
}

/** Requests that an older version has kept as they were. */
async function sealOld(threadClient: ThreadClient, calls: SealedArguments): Promise<void> {
  for (const { id, text } of await threadClient.run('unsealedApprovals')) {
    const asked = JSON.parse(text) as PendingApproval // the older version has written it
    await threadClient.run('resealApproval', id, recordText(asked), calls.seal(id, asked))
  }
}

type Opening = {
  readonly desk: ThreadClient
  readonly calls: SealedArguments
  readonly onNote: (words: string) => void
  readonly moment: ClockMoment
}

/** Nobody can decide about a call that nobody can read: with another key, all of them wait in vain. */
async function dropUnreadable({ desk: threadClient, calls, onNote, moment: clockMoment }: Opening): Promise<void> {
  const one = await threadClient.run('anySealedApproval')
  if (!one || calls.opens(one.id, one.sealed)) return
  const verdict = { why: 'The gateway has another vault key than when you called: call again', by: 'toolwire' }
  const ids = await threadClient.run('denyAll', {}, verdict, clockMoment)
  onNote(
    `${ids.length} calls that waited for approval were sealed with another vault key, so nobody can see what they would do: they are denied. Their callers can call again.`,
  )
}
