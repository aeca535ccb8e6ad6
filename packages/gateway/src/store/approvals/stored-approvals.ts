import type { ApprovalAnswer, ApprovalStore, PendingApproval } from 'toolwire/guard'
import type { approvals } from 'toolwire/relay'
import type { Sealer } from '../secrets/seal.js'
import type { StoreClient } from '../store-client.js'
import type { ApprovalFilter, QueueQuery } from './approval-queue.js'
import { approvalRecordOf, approvalStateOf, decisionOf, newApprovalOf, queuedRecordOf, recordText } from './approval-records.js'
import type { ApprovalUse } from './approval-row.js'
import { DecisionWaiters } from './decision-waiters.js'
import { type SealedArguments, sealedArguments } from './sealed-arguments.js'
import { sharedMoves } from './shared-moves.js'

/** A request begins to wait, here or `elsewhere` at another gateway, or does so no longer. */
export type ApprovalEvent =
  | { readonly what: 'asked'; readonly asked: PendingApproval; readonly elsewhere?: true }
  | { readonly what: 'over'; readonly id: string; readonly is: approvals.SettledApproval; readonly by?: string }

export type StoredApprovals = Awaited<ReturnType<typeof storedApprovals>>

const usualPage = 100
const sweepEveryMs = 5_000

/** Requests for approval, in the database. What was pending when the process ended is pending in the next one, while there is time. */
export async function storedApprovals(client: StoreClient, seal: Sealer, onNote: (words: string) => void) {
  const calls = sealedArguments(seal)
  await sealOld(client, calls)
  await dropUnreadable(client, calls, onNote)
  let sweeping: NodeJS.Timeout | undefined
  const settling = new DecisionWaiters()
  const listeners = new Set<(move: ApprovalEvent) => void>()

  const moved = sharedMoves(client.changes, calls, (move) => {
    if (move.what === 'over') settling.tell(move.id, move.is)
    for (const listener of listeners) listener(move)
  })

  /** Calls back with every move that is made here, or elsewhere, until the returned function is called. */
  function onMove(listener: (move: ApprovalEvent) => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  /** Nobody says so when the time of a call is over, and its arguments are to go then. */
  function sweepLater(): void {
    sweeping ??= setTimeout(() => {
      client.write('expireApprovals').then(
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
    const found = await client.run('standing', id)
    if (!found) return { state: 'gone' }
    const is = approvalStateOf(found.kept)
    return is.state === 'pending' ? { leftMs: found.leftMs } : is
  }

  const store = {
    async add(asked: PendingApproval, most: number) {
      const added = await client.write('addApproval', newApprovalOf(asked, calls), most)
      sweepLater()
      if (added === 'added') moved({ what: 'asked', asked })
      return added
    },
    /** As every store does, and keeps who it was. */
    async decide(id: string, answer: ApprovalAnswer, by?: string): Promise<boolean> {
      const is = decisionOf(answer)
      const who = by === undefined ? {} : { by }
      const done = await client.write('decide', id, { ...is, ...who })
      if (done) moved({ what: 'over', id, is, ...who })
      return done
    },
    /** Denies all of these that wait, and gives their ids. */
    async denyAll(which: ApprovalFilter, verdict: { readonly why?: string; readonly by: string }): Promise<readonly string[]> {
      const ids = await client.write('denyAll', which, verdict)
      const is = { state: 'denied', ...(verdict.why !== undefined && { why: verdict.why }) } as const
      for (const id of ids) moved({ what: 'over', id, is, by: verdict.by })
      return ids
    },
    /** As every store does; with `use`, together with something else. */
    async release(id: string, digest: string, use?: (one: ApprovalUse) => Promise<boolean>): Promise<boolean> {
      const done = await (use ? use({ id, digest }) : client.write('release', id, digest))
      if (done) moved({ what: 'over', id, is: { state: 'released' } })
      return done
    },
    leave: (id: string) => client.write('leaveApproval', id),
    async withdraw(id: string): Promise<void> {
      if (await client.write('withdraw', id)) moved({ what: 'over', id, is: { state: 'gone' } })
    },
    pending: async (most = usualPage): Promise<readonly PendingApproval[]> =>
      (await client.run('pending', most)).map((kept) => approvalRecordOf(kept, calls).asked),
    async matching(callDigest: string) {
      const kept = await client.run('matching', callDigest)
      return kept && approvalRecordOf(kept, calls)
    },
    async settled(id: string, signal: AbortSignal) {
      const stop = client.changes?.wait()
      try {
        return await settling.wait(id, signal, () => standing(id))
      } finally {
        stop?.()
      }
    },
    onChange: (listener: () => void) => onMove(() => listener()),
    onMove,
    /** Other gateways ask here as well. */
    isShared: client.changes !== undefined,
    async find(id: string) {
      const found = await client.run('standing', id)
      return found && approvalRecordOf(found.kept, calls)
    },
    /** One that waits. */
    async waiting(id: string) {
      const found = await client.run('waiting', id)
      return found && queuedRecordOf(found, calls)
    },
    async queue(query: QueueQuery) {
      const { page, ...queue } = await client.run('queue', query)
      return { ...queue, page: page.map((queued) => queuedRecordOf(queued, calls)) }
    },
    /** What became of requests, the latest first; 1,000 are kept of those that are over. */
    history: async (most = usualPage) => (await client.run('history', most)).map((kept) => approvalRecordOf(kept, calls)),
    /** Looks no longer for those whose time is over. */
    close(): void {
      clearTimeout(sweeping)
      sweeping = undefined
    },
  }
  return store satisfies ApprovalStore
}

/** Requests that an older version has kept as they were. */
async function sealOld(client: StoreClient, calls: SealedArguments): Promise<void> {
  for (const { id, text } of await client.run('unsealedApprovals')) {
    const asked = JSON.parse(text) as PendingApproval // the older version has written it
    await client.run('resealApproval', id, recordText(asked), calls.seal(id, asked))
  }
}

/** Nobody can decide about a call that nobody can read: with another key, all of them wait in vain. */
async function dropUnreadable(client: StoreClient, calls: SealedArguments, onNote: (words: string) => void): Promise<void> {
  const one = await client.run('anySealedApproval')
  if (!one || calls.opens(one.id, one.sealed)) return
  const verdict = { why: 'The gateway has another vault key than when you called: call again', by: 'toolwire' }
  const ids = await client.run('denyAll', {}, verdict)
  onNote(
    `${ids.length} calls that waited for approval were sealed with another vault key, so nobody can see what they would do: they are denied. Their callers can call again.`,
  )
}
