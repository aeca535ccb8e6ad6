import type { AuditHead, AuditLog, AuditRecord } from 'toolwire/guard'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import type { ApprovalUse } from '../approvals/approval-row.js'
import type { ThreadClient } from '../thread-client.js'
import type { AuditPage, AuditQuery } from './audit-query.js'
import { type ExportFormat, exportAudit } from './export-audit.js'
import { logFollower } from './follow-log.js'
import { logReader } from './log-reader.js'
import { logWriter } from './log-writer.js'
import { applyRetention, type Retention } from './retention.js'
import type { HeadSigner, SignedHead } from './signed-head.js'
import { logVerifier, type VerifyStored } from './verify-log.js'

export type StoredAudit = ReturnType<typeof storedAudit>

export function storedAudit(thread: ThreadClient, signer: HeadSigner, begin: AuditHead | undefined) {
  const { added, from: followFrom } = logFollower(thread)
  const { append, appendIf, head, quiet } = logWriter(begin, async (entries) => {
    await thread.write('append', entries)
    added()
  })
  const reads = {
    head: () => thread.run('head'),
    entry: (sequence: number) => thread.run('entry', sequence),
    mark: () => thread.run('mark'),
    verify: thread.watch.bind(thread, 'verify'),
  }
  const { verify, from, headHash, checkWitnessed } = logVerifier(reads, signer, head)
  // Verification and retention take turns, so that nothing is dropped while the log is read.
  const inTurn = oneAtATime()
  let last: AuditRecord | undefined

  return {
    append(record: AuditRecord): ReturnType<AuditLog['append']> {
      last = record
      return append(record)
    },
    /** Uses an approval and records the use, or does neither. Returns false if the approval is used up or no longer valid. */
    appendWithUse(records: readonly AuditRecord[], use: ApprovalUse): Promise<boolean> {
      return appendIf(records, async (entries) => {
        const isUsed = await thread.write('useApproval', use, entries)
        if (isUsed) added()
        return isUsed
      })
    },
    /** The last appended record, safe on disk or not. */
    get last() {
      return last
    },
    get head() {
      return head()
    },
    /** The sequence of the last record that this gateway has written and that is safe on disk; 0 if there is none. */
    get sequence(): number {
      return head()?.sequence ?? 0
    },
    ...logReader({
      entry: reads.entry,
      callOf: (id) => thread.run('callOf', id),
      async span(from) {
        const last = head()?.sequence ?? 0
        return { first: (await thread.run('firstSince', from)) ?? null, last }
      },
      callsAfter: (sequence, most) => thread.run('callsAfter', sequence, most),
    }),
    search: (query: AuditQuery): Promise<AuditPage> => thread.run('search', query),
    /** Yields all records after this one, once they are safe on disk. Ends with the signal. */
    follow: followFrom,
    /** Only new records. Following the log after its present end, `end`, yields them all again. */
    async followNew(signal: AbortSignal) {
      const end = head()?.sequence ?? 0
      return { end, pages: followFrom(end, signal) }
    },
    verify: (options?: VerifyStored) => inTurn(() => verify(options)),
    /** Lines for `verifyAudit`, or a table of calls. */
    export: (format: ExportFormat) => exportAudit(thread, format),
    signHead(): SignedHead | undefined {
      const last = head()
      return last && signer.sign(last, 'head')
    },
    headHash,
    checkWitnessed,
    /** Drops records beyond the limits and returns their number. */
    retain: (keep: Retention) => inTurn(() => applyRetention(keep, { thread, signer, from })),
    publicKey: signer.publicKey,
    quiet,
  }
}
