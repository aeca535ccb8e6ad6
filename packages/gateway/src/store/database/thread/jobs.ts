import type { AuditEntry, AuditHead } from 'toolwire/guard'
import type { AuditQuery } from '../../audit/audit-query.js'
import { type ApprovalFilter, approvalQueueQueries, type QueueQuery } from '../approvals/approval-queue-query.js'
import { type ApprovalDecision, approvalRows, type NewApproval } from '../approvals/approval-rows.js'
import { auditRows } from '../audit/audit-rows.js'
import { callSearch } from '../audit/call-search.js'
import { type RetentionLimits, retentionRows } from '../audit/retention-rows.js'
import { type Verifying, verifyRows } from '../audit/verify-rows.js'
import type { DatabaseConnection } from '../connection.js'
import { keyValueRows, stateRows } from '../key-value-rows.js'
import { type CredentialKey, sealedRows } from '../sealed-rows.js'
import { type ClockMoment, nowFrom } from './clock-moment.js'

/** All that can be asked of the thread that has the database. */
export function databaseJobs(db: DatabaseConnection) {
  const audit = auditRows(db)
  const calls = callSearch(db)
  const retention = retentionRows(db, audit)
  const approvals = approvalRows(db)
  const queue = approvalQueueQueries(db)
  const kept = keyValueRows(db)
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
  /** Queries index the latest records first; if the disk is full, they search the older ones. */
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
      addApproval: (one: NewApproval, most: number, clockMoment: ClockMoment) => approvals.add(one, most, nowFrom(clockMoment)),
      expireApprovals: removing((clockMoment: ClockMoment) => approvals.expire(nowFrom(clockMoment))),
      resealApproval: removing((id: string, text: string, sealed: Uint8Array) => approvals.reseal(id, text, sealed)),
      decide: removing((id: string, approvalDecision: ApprovalDecision, clockMoment: ClockMoment) =>
        approvals.decide(id, approvalDecision, nowFrom(clockMoment)),
      ),
      denyAll: removing(
        (which: ApprovalFilter, verdict: { readonly why?: string; readonly by: string }, clockMoment: ClockMoment) =>
          queue.denyAll(which, verdict, nowFrom(clockMoment)),
      ),
      release: (id: string, digest: string, clockMoment: ClockMoment) => approvals.release(id, digest, nowFrom(clockMoment)),
      leaveApproval: (id: string, clockMoment: ClockMoment) => approvals.leave(id, nowFrom(clockMoment)),
      withdraw: removing((id: string) => approvals.withdraw(id)),
      keep: (room: string, key: string, value: string) => kept.put(room, key, value),
      drop: (room: string, key: string) => kept.drop(room, key),
      seal: (place: CredentialKey, value: Uint8Array) => sealed.put(place, value),
      unseal: (place: CredentialKey) => sealed.drop(place),
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
      cut: indexed((keep: RetentionLimits) => retention.cut(keep)),
      mark: () => retention.mark(),
      unsealedApprovals: () => approvals.unsealed(),
      anySealedApproval: () => approvals.anySealed(),
      pending: (most: number, clockMoment: ClockMoment) => approvals.pending(most, nowFrom(clockMoment)),
      queue: (query: QueueQuery, clockMoment: ClockMoment) => queue.queue(query, nowFrom(clockMoment)),
      waiting: (id: string, clockMoment: ClockMoment) => queue.waiting(id, nowFrom(clockMoment)),
      matching: (callDigest: string, clockMoment: ClockMoment) => approvals.matching(callDigest, nowFrom(clockMoment)),
      standing: (id: string, clockMoment: ClockMoment) => approvals.standing(id, nowFrom(clockMoment)),
      history: (most: number, clockMoment: ClockMoment) => approvals.history(most, nowFrom(clockMoment)),
      all: (room: string) => kept.all(room),
      sealed: (place: CredentialKey) => sealed.get(place),
      sealedNames: (server: string, principal: string) => sealed.names(server, principal),
      holders: () => sealed.holders(),
    },
    /** These take long, and let others in between. */
    long: {
      verify: (what: Omit<Verifying, 'progress'>, progress: (done: number) => void) => verifyRows(audit, { ...what, progress }),
    },
  }
}

export type Jobs = ReturnType<typeof databaseJobs>
