import type { AuditEntry } from 'toolwire/guard'
import type { ApprovalUse } from '../../approvals/approval-row.js'
import { approvalQueueQueries } from '../approvals/approval-queue-query.js'
import { approvalRows } from '../approvals/approval-rows.js'
import { auditRows } from '../audit/audit-rows.js'
import { callSearch } from '../audit/call-search.js'
import { retentionRows } from '../audit/retention-rows.js'
import { verifyRows } from '../audit/verify-rows.js'
import type { DatabaseConnection } from '../connection.js'
import { keyValueRows, signingKeyState, stateRows } from '../key-value-rows.js'
import { sealedRows } from '../sealed-rows.js'

/** Runs `first` each time before a job. */
const before =
  (first: () => void) =>
  <Args extends readonly unknown[], T>(work: (...args: Args) => T) =>
  (...args: Args): T => {
    first()
    return work(...args)
  }

export function databaseJobs(db: DatabaseConnection, now: () => number) {
  const audit = auditRows(db)
  const calls = callSearch(db)
  const retention = retentionRows(db, audit)
  const approvals = approvalRows(db, now)
  const queue = approvalQueueQueries(db, now)
  const kept = keyValueRows(db)
  const state = stateRows(db)
  const sealed = sealedRows(db)
  // A process before this one may have removed data that is still in the write-ahead log.
  let isRemoved = true
  const removing = before(() => {
    isRemoved = true
  })
  /** Truncates the write-ahead log, which may still hold data that was removed from the database. */
  function forget(): void {
    if (isRemoved) db.pragma('wal_checkpoint(TRUNCATE)')
    isRemoved = false
  }
  return {
    /** Indexes some further records; returns false if there may be more. */
    index: audit.index.goOn,
    /** Does work that can wait; returns false if there may be more. */
    chore(): boolean {
      forget()
      return audit.index.goOn()
    },
    /** Several of these share one transaction. */
    writes: {
      append: audit.append,
      dropRecords: retention.drop,
      putMark: retention.putMark,
      putSigningKey: (publicKey: string) => state.put(signingKeyState, publicKey),
      addApproval: approvals.add,
      expireApprovals: removing(approvals.expire),
      resealApproval: removing(approvals.reseal),
      decide: removing(approvals.decide),
      denyAll: removing(queue.denyAll),
      release: approvals.release,
      /** Does both or neither, because a failed job is rolled back. */
      useApproval({ id, digest }: ApprovalUse, entries: readonly AuditEntry[]): boolean {
        const isUsed = approvals.release(id, digest)
        if (isUsed) audit.append(entries)
        return isUsed
      },
      leaveApproval: approvals.leave,
      withdraw: removing(approvals.withdraw),
      keep: kept.put,
      drop: kept.drop,
      seal: sealed.put,
      unseal: sealed.drop,
      unsealAll: sealed.dropAll,
      /** Tests whether anything can be written. */
      probe: () => state.put('probe', `${Date.now()}`),
    },
    reads: {
      head: audit.head,
      entry: audit.entry,
      entriesAfter: audit.entriesAfter,
      mark: retention.mark,
      signingKey: () => state.get(signingKeyState),
      unsealedApprovals: approvals.unsealed,
      sealedApprovalAfter: approvals.sealedAfter,
      pending: approvals.pending,
      queue: queue.queue,
      waiting: queue.waiting,
      countPending: queue.countPending,
      matching: approvals.matching,
      standing: approvals.standing,
      history: approvals.history,
      all: kept.all,
      sealed: sealed.get,
      sealedNames: sealed.names,
      holders: sealed.holders,
    },
    /** These need the index of calls. */
    searches: {
      search: calls.search,
      callOf: calls.callOf,
      firstSince: calls.firstSince,
      callsAfter: calls.callsAfter,
      cut: retention.cut,
    },
    /** These take long, and let other jobs run in between. */
    long: {
      verify: (what: Parameters<typeof verifyRows>[1], progress: (done: number) => void) => verifyRows(audit, what, progress),
    },
  }
}

export type Jobs = ReturnType<typeof databaseJobs>
