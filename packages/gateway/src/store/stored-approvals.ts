import type { ApprovalAnswer, ApprovalStore, AskedElsewhere, Settled } from 'toolwire/guard'
import type { Among, QueueQuery } from './database/approval-queue.js'
import { type Moment, momentOf } from './database/moment.js'
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
  textOf,
  verdictOf,
} from './kept-requests.js'
import { type SaidCalls, saidCalls } from './said-calls.js'
import type { Seal } from './seal.js'
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
  /** Looks no longer for those whose time is over. */
  close(): void
}

type Parts = {
  readonly desk: Desk
  readonly health: Health
  readonly seal: Seal
  readonly now: () => number
  readonly onNote: (words: string) => void
}

const usualPage = 100
const sweepEveryMs = 5_000

export async function storedApprovals({ desk, health, seal, now, onNote }: Parts): Promise<StoredApprovals> {
  const calls = saidCalls(seal)
  await sealOld(desk, calls)
  await dropUnreadable({ desk, calls, onNote, moment: momentOf(now()) })
  let sweeping: NodeJS.Timeout | undefined
  const settling = new Settling()
  const listeners = new Set<() => void>()
  const followers = new Set<(move: Move) => void>()
  const moment = () => momentOf(now())

  function moved(move: Move): void {
    if (move.what === 'over') settling.tell(move.id, move.is)
    for (const follower of followers) follower(move)
    for (const listener of listeners) listener()
  }

  /** Nobody says so when the time of a call is over, and its arguments are to go then. */
  function sweepLater(): void {
    sweeping ??= setTimeout(() => {
      health.of(desk.ask('expireApprovals', moment())).then(
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

  async function standing(id: string): Promise<Settled | { leftMs: number }> {
    const found = await desk.ask('standing', id, moment())
    if (!found) return { state: 'gone' }
    const is = stateOf(found.kept)
    return is.state === 'pending' ? { leftMs: found.leftMs } : is
  }

  return {
    async add(asked, most) {
      const added = await health.of(desk.ask('addApproval', rowOf(asked, calls), most, moment()))
      sweepLater()
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
    pending: async (most = usualPage) => (await desk.ask('pending', most, moment())).map((kept) => askedIn(kept, calls)),
    async matching(callDigest) {
      const kept = await desk.ask('matching', callDigest, moment())
      return kept && foundIn(kept, calls)
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
      return found && requestIn(found.kept, calls)
    },
    async waiting(id) {
      const found = await desk.ask('waiting', id, moment())
      return found && queuedIn(found, calls)
    },
    async queue(query) {
      const { page, ...queue } = await desk.ask('queue', query, moment())
      return { ...queue, page: page.map((queued) => queuedIn(queued, calls)) }
    },
    history: async (most = usualPage) => (await desk.ask('history', most, moment())).map((kept) => requestIn(kept, calls)),
    close() {
      clearTimeout(sweeping)
      sweeping = undefined
    },
  }
}

/** Requests that an older version has kept as they were. */
async function sealOld(desk: Desk, calls: SaidCalls): Promise<void> {
  for (const { id, text } of await desk.ask('unsealedApprovals')) {
    const asked = JSON.parse(text) as AskedElsewhere // the older version has written it
    await desk.ask('resealApproval', id, textOf(asked), calls.seal(id, asked))
  }
}

type Opening = {
  readonly desk: Desk
  readonly calls: SaidCalls
  readonly onNote: (words: string) => void
  readonly moment: Moment
}

/** Nobody can decide about a call that nobody can read: with another key, all of them wait in vain. */
async function dropUnreadable({ desk, calls, onNote, moment }: Opening): Promise<void> {
  const one = await desk.ask('anySealedApproval')
  if (!one || calls.opens(one.id, one.sealed)) return
  const verdict = { why: 'The gateway has another vault key than when you called: call again', by: 'toolwire' }
  const ids = await desk.ask('denyAll', {}, verdict, moment)
  onNote(
    `${ids.length} calls that waited for approval were sealed with another vault key, so nobody can see what they would do: they are denied. Their callers can call again.`,
  )
}
