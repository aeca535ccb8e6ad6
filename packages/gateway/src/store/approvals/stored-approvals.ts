import type { ApprovalAnswer, ApprovalStore, PendingApproval } from 'toolwire/guard'
import type { approvals } from 'toolwire/relay'
import type { Sealer } from '../secrets/seal.js'
import type { StoreClient } from '../store-client.js'
import { approvalEventReporter } from './approval-event-reporter.js'
import type { ApprovalFilter, QueueQuery } from './approval-queue.js'
import {
  approvalRecordOf,
  approvalRecordsOf,
  approvalStateOf,
  decisionOf,
  idOf,
  newApprovalOf,
  queuedRecordsOf,
  recordText,
} from './approval-records.js'
import type { ApprovalUse } from './approval-row.js'
import { DecisionWaiters } from './decision-waiters.js'
import { type SealedArguments, sealedArguments } from './sealed-arguments.js'

/** A request becomes pending, here or `elsewhere` at another gateway, or is no longer pending. */
export type ApprovalEvent =
  | { readonly what: 'asked'; readonly asked: PendingApproval; readonly elsewhere?: true }
  | { readonly what: 'over'; readonly id: string; readonly is: approvals.SettledApproval; readonly by?: string }

export type StoredApprovals = Awaited<ReturnType<typeof storedApprovals>>

const usualPage = 100
const sweepEveryMs = 5_000

/** Requests for approval in the database. Pending requests survive a restart of the process, until they expire. */
export async function storedApprovals(client: StoreClient, seal: Sealer, onNote: (words: string) => void) {
  const calls = sealedArguments(seal)
  await sealUnsealed(client, calls)
  await dropUnreadable(client, calls, onNote)
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false
  const settling = new DecisionWaiters()
  const listeners = new Set<(move: ApprovalEvent) => void>()

  const report = approvalEventReporter(client.changes, calls, (move) => {
    sweepLater()
    if (move.what === 'over') settling.tell(move.id, move.is)
    for (const listener of listeners) listener(move)
  })

  /** Calls `listener` with every change, made here or elsewhere, until the returned function is called. */
  function onMove(listener: (move: ApprovalEvent) => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  /** Expires requests, because no event reports the end of their time, and their arguments have to be removed then. */
  function sweepLater(): void {
    if (isClosed) return
    sweeping ??= setTimeout(() => {
      // The store reports trouble with the database.
      const isSwept = client.write('expireApprovals').then(
        (live) => live === 0,
        () => false,
      )
      void isSwept.then((isOver) => {
        sweeping = undefined
        if (!isOver) sweepLater()
      })
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
      if (added === 'added') report({ what: 'asked', asked })
      return added
    },
    /** Decides as every approval store does, and stores the decider. */
    async decide(id: string, answer: ApprovalAnswer, by?: string): Promise<boolean> {
      const is = decisionOf(answer)
      const who = by === undefined ? {} : { by }
      const done = await client.write('decide', id, { ...is, ...who })
      if (done) report({ what: 'over', id, is, ...who })
      return done
    },
    /** Denies all matching pending requests and returns their ids. */
    async denyAll(which: ApprovalFilter, verdict: { readonly why?: string; readonly by: string }): Promise<readonly string[]> {
      const ids = await client.write('denyAll', which, verdict)
      const is = { state: 'denied', ...(verdict.why !== undefined && { why: verdict.why }) } as const
      for (const id of ids) report({ what: 'over', id, is, by: verdict.by })
      return ids
    },
    /** Releases as every approval store does; `use` commits the release together with something else. */
    async release(id: string, digest: string, use?: (one: ApprovalUse) => Promise<boolean>): Promise<boolean> {
      const done = await (use ? use({ id, digest }) : client.write('release', id, digest))
      if (done) report({ what: 'over', id, is: { state: 'released' } })
      return done
    },
    leave: (id: string) => client.write('leaveApproval', id),
    async withdraw(id: string): Promise<void> {
      if (await client.write('withdraw', id)) report({ what: 'over', id, is: { state: 'gone' } })
    },
    pending: async (most = usualPage): Promise<readonly PendingApproval[]> =>
      (await approvalRecordsOf(await client.run('pending', most), calls)).map(({ asked }) => asked),
    async matching(callDigest: string) {
      const kept = await client.run('matching', callDigest)
      return kept && approvalRecordOf(kept, calls)
    },
    /** Like `matching`, but leaves the arguments sealed, because they may take megabytes. */
    async matchingState(callDigest: string) {
      const kept = await client.run('matching', callDigest)
      return kept && { id: idOf(kept), state: kept.state }
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
    /** True if other gateways share the requests. */
    isShared: client.changes !== undefined,
    async find(id: string) {
      const found = await client.run('standing', id)
      return found && approvalRecordOf(found.kept, calls)
    },
    async waiting(id: string) {
      const found = await client.run('waiting', id)
      return found && (await queuedRecordsOf([found], calls))[0]
    },
    async queue(query: QueueQuery) {
      const { page, ...queue } = await client.run('queue', query)
      return { ...queue, page: await queuedRecordsOf(page, calls) }
    },
    countPending: () => client.run('countPending'),
    /** Earlier requests, latest first; 1,000 settled ones are kept. */
    history: async (most = usualPage) => approvalRecordsOf(await client.run('history', most), calls),
    close(): void {
      isClosed = true
      clearTimeout(sweeping)
    },
  }
  return store satisfies ApprovalStore
}

/** Seals requests that an older version stored unsealed. */
async function sealUnsealed(client: StoreClient, calls: SealedArguments): Promise<void> {
  for (const { id, text } of await client.run('unsealedApprovals')) {
    const asked = JSON.parse(text) as PendingApproval // the older version has written it
    await client.run('resealApproval', id, recordText(asked), calls.seal(id, asked))
  }
}

/** Denies all requests if none opens, as with another key. If others open, a damaged one is shown as unreadable. */
async function dropUnreadable(client: StoreClient, calls: SealedArguments, onNote: (words: string) => void): Promise<void> {
  const first = await client.run('sealedApprovalAfter', 0)
  for (let one = first; one; one = await client.run('sealedApprovalAfter', one.added)) if (calls.opens(one.id, one.sealed)) return
  if (!first) return
  const verdict = { why: 'The vault key of the gateway does not open the arguments of this call. Call again', by: 'toolwire' }
  const ids = await client.run('denyAll', {}, verdict)
  onNote(
    `The vault key opens no pending approval, so their arguments cannot be read: it was changed, or toolwire.db was. All ${ids.length} were denied. Their callers can call again.`,
  )
}
