import type { AuditEntry, AuditHead } from 'toolwire/guard'
import type { AuditQuery } from '../audit-search.js'
import { type Among, approvalQueue, type QueueQuery } from './approval-queue.js'
import { approvalRows, type NewApproval, type Verdict } from './approval-rows.js'
import { auditRows } from './audit-rows.js'
import type { Connection } from './connection.js'
import { keptRows, stateRows } from './kept-rows.js'
import { type Moment, nowIn } from './moment.js'
import { type Keep, retentionRows } from './retention-rows.js'
import { type Place, sealedRows } from './sealed-rows.js'
import { callSearch } from './search.js'
import { type Verifying, verifyRows } from './verify-rows.js'

/** All that can be asked of the thread that has the database. */
export function jobsOn(db: Connection) {
  const audit = auditRows(db)
  const calls = callSearch(db)
  const retention = retentionRows(db, audit)
  const approvals = approvalRows(db)
  const queue = approvalQueue(db)
  const kept = keptRows(db)
  const state = stateRows(db)
  const sealed = sealedRows(db)
  // In the life before this one, something may have been removed and still stand in the file of what is to be written.
  let isRemoved = true
  const removing =
    <Args extends readonly unknown[], T>(work: (...args: Args) => T) =>
    (...args: Args): T => {
      isRemoved = true
      return work(...args)
    }
  /** What was removed is gone from the database, and is to go from the log of its changes. */
  function forget(): void {
    if (isRemoved) db.pragma('wal_checkpoint(TRUNCATE)')
    isRemoved = false
  }
  /** Whoever looks for calls finds those that have just been recorded, too; where nothing can be written, those from before. */
  const indexed =
    <Args extends readonly unknown[], T>(look: (...args: Args) => T) =>
    (...args: Args): T => {
      try {
        audit.index.catchUp()
      } catch {
        // The disk is full, or broken: that is for those to tell who write.
      }
      return look(...args)
    }
  return {
    /** What need not be done at once; false when there may be more of it. */
    chore(): boolean {
      forget()
      return audit.index.goOn()
    },
    /** Many of these become one transaction. */
    writes: {
      append: (entries: readonly AuditEntry[]) => audit.append(entries),
      dropRecords: (head: AuditHead, mark: string) => retention.drop(head, mark),
      putMark: (mark: string) => retention.putMark(mark),
      addApproval: (one: NewApproval, most: number, moment: Moment) => approvals.add(one, most, nowIn(moment)),
      expireApprovals: removing((moment: Moment) => approvals.expire(nowIn(moment))),
      resealApproval: removing((id: string, text: string, sealed: Uint8Array) => approvals.reseal(id, text, sealed)),
      decide: removing((id: string, verdict: Verdict, moment: Moment) => approvals.decide(id, verdict, nowIn(moment))),
      denyAll: removing((which: Among, verdict: { readonly why?: string; readonly by: string }, moment: Moment) =>
        queue.denyAll(which, verdict, nowIn(moment)),
      ),
      release: (id: string, digest: string, moment: Moment) => approvals.release(id, digest, nowIn(moment)),
      leaveApproval: (id: string, moment: Moment) => approvals.leave(id, nowIn(moment)),
      withdraw: removing((id: string) => approvals.withdraw(id)),
      keep: (room: string, key: string, value: string) => kept.put(room, key, value),
      drop: (room: string, key: string) => kept.drop(room, key),
      seal: (place: Place, value: Uint8Array) => sealed.put(place, value),
      unseal: (place: Place) => sealed.drop(place),
      unsealAll: (server: string, principal: string) => sealed.dropAll(server, principal),
      /** Whether anything can be written. */
      probe: () => state.put('probe', `${Date.now()}`),
    },
    reads: {
      head: () => audit.head(),
      entry: (sequence: number) => audit.entry(sequence),
      entriesAfter: (sequence: number, most: number) => audit.entriesAfter(sequence, most),
      search: indexed((query: AuditQuery) => calls.search(query)),
      callOf: indexed((id: string) => calls.callOf(id)),
      firstSince: indexed((at: number) => calls.firstSince(at)),
      callsAfter: indexed((sequence: number, most: number) => calls.callsAfter(sequence, most)),
      cut: indexed((keep: Keep) => retention.cut(keep)),
      mark: () => retention.mark(),
      unsealedApprovals: () => approvals.unsealed(),
      anySealedApproval: () => approvals.anySealed(),
      pending: (most: number, moment: Moment) => approvals.pending(most, nowIn(moment)),
      queue: (query: QueueQuery, moment: Moment) => queue.queue(query, nowIn(moment)),
      waiting: (id: string, moment: Moment) => queue.waiting(id, nowIn(moment)),
      matching: (callDigest: string, moment: Moment) => approvals.matching(callDigest, nowIn(moment)),
      standing: (id: string, moment: Moment) => approvals.standing(id, nowIn(moment)),
      history: (most: number, moment: Moment) => approvals.history(most, nowIn(moment)),
      all: (room: string) => kept.all(room),
      sealed: (place: Place) => sealed.get(place),
      sealedNames: (server: string, principal: string) => sealed.names(server, principal),
      holders: () => sealed.holders(),
    },
    /** These take long, and let others in between. */
    long: {
      verify: (what: Omit<Verifying, 'progress'>, progress: (done: number) => void) => verifyRows(audit, { ...what, progress }),
    },
  }
}

export type Jobs = ReturnType<typeof jobsOn>
