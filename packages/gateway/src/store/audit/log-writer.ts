import { setTimeout } from 'node:timers/promises'
import { type AuditEntry, type AuditHead, type AuditLog, type AuditRecord, auditLog } from 'toolwire/guard'

/** About as long as most disks take to write anything, so that quicker ones are not asked for every record. */
const paceMs = 4
const lookEveryMs = 1

/** The chained log, which goes on after `begin`, and how to wait until nothing of it is under way. */
export function logWriter(begin: AuditHead | undefined, write: (entries: readonly AuditEntry[]) => Promise<void>) {
  const chained = auditLog({ head: () => begin, paceMs, write })
  let unwritten = 0
  const written = () => {
    unwritten--
  }
  return {
    append(record: AuditRecord): ReturnType<AuditLog['append']> {
      const appended = chained.append(record)
      if (!appended) return
      unwritten++
      appended.then(written, written)
      return appended
    },
    head: () => chained.head ?? begin,
    /** Settles when all writes have ended, even if some failed. */
    async quiet(): Promise<void> {
      do await setTimeout(lookEveryMs)
      while (unwritten > 0)
    },
  }
}
