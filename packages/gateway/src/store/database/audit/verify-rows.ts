import { setImmediate } from 'node:timers/promises'
import type { AuditHead, AuditVerdict } from 'toolwire/guard'
import { logPages } from '../../audit/log-pages.js'
import type { AuditRows } from './audit-rows.js'

const pageSize = 500

export type VerifiedRange = {
  readonly from: AuditHead | undefined
  readonly head: AuditHead | undefined
  /** The last record to read; without it, all records are read. */
  readonly until?: number
}

/** Verifies the log page by page, so that other jobs run between the pages. */
export async function verifyRows(
  rows: AuditRows,
  { from, head, until = Infinity }: VerifiedRange,
  progress: (entries: number) => void,
): Promise<AuditVerdict> {
  // Loaded here, because the database's thread needs nothing else of the library, and starts in half the time without it.
  const { auditLine, verifyAudit } = await import('toolwire/guard')
  async function* lines(): AsyncGenerator<string> {
    let entries = 0
    for await (const page of logPages((after) => rows.entriesAfter(after, pageSize), -Infinity, until)) {
      for (const entry of page) yield auditLine(entry)
      entries += page.length
      progress(entries)
      await setImmediate()
    }
  }
  return verifyAudit(lines(), { from, head })
}
