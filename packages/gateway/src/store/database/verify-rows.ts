import { setImmediate } from 'node:timers/promises'
import { type AuditHead, type AuditVerdict, auditLine, verifyAudit } from 'toolwire/guard'
import type { AuditRows } from './audit-rows.js'

const pageSize = 500

export type Verifying = {
  readonly from: AuditHead | undefined
  readonly head: AuditHead | undefined
  readonly progress: (entries: number) => void
}

/** Reads the whole log, page by page; what else there is to do is done between the pages. */
export function verifyRows(rows: AuditRows, { from, head, progress }: Verifying): Promise<AuditVerdict> {
  return verifyAudit(linesOf(rows, progress), { from, head })
}

async function* linesOf(rows: AuditRows, progress: (entries: number) => void): AsyncGenerator<string> {
  let last = 0
  let entries = 0
  for (;;) {
    const page = rows.entriesAfter(last, pageSize)
    if (page.length === 0) return
    for (const entry of page) yield auditLine(entry)
    last = page.at(-1)?.sequence ?? last
    entries += page.length
    progress(entries)
    await setImmediate()
  }
}
