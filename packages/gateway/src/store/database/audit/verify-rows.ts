import { setImmediate } from 'node:timers/promises'
import { type AuditHead, type AuditVerdict, auditLine, verifyAudit } from 'toolwire/guard'
import type { AuditRows } from './audit-rows.js'

const pageSize = 500

export type Verifying = {
  readonly from: AuditHead | undefined
  readonly head: AuditHead | undefined
  /** The last record to be read; all of them if it is not said. */
  readonly until?: number
  readonly progress: (entries: number) => void
}

/** Reads the log, page by page; what else there is to do is done between the pages. */
export function verifyRows(
  rows: AuditRows,
  { from, head, until = Number.POSITIVE_INFINITY, progress }: Verifying,
): Promise<AuditVerdict> {
  return verifyAudit(linesOf(rows, until, progress), { from, head })
}

async function* linesOf(rows: AuditRows, until: number, progress: (entries: number) => void): AsyncGenerator<string> {
  let last = 0
  let entries = 0
  for (;;) {
    const page = rows.entriesAfter(last, pageSize).filter(({ sequence }) => sequence <= until)
    if (page.length === 0) return
    for (const entry of page) yield auditLine(entry)
    last = page.at(-1)?.sequence ?? last
    entries += page.length
    progress(entries)
    await setImmediate()
  }
}
