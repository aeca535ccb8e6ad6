import { setTimeout } from 'node:timers/promises'
import { type AuditEntry, type AuditHead, type AuditLog, auditLog } from 'toolwire/guard'

/** The chained log, and how to wait until nothing of it is under way. */
type LogWriter = { readonly log: AuditLog; readonly head: () => AuditHead | undefined; quiet(): Promise<void> }

/** About as long as most disks take to write anything, so that quicker ones are not asked for every record. */
const paceMs = 4
const lookEveryMs = 1

/** Goes on after `begin`. */
export function logWriter(begin: AuditHead | undefined, write: (entries: readonly AuditEntry[]) => Promise<void>): LogWriter {
  const chained = auditLog({ head: () => begin, paceMs, write })
  let unwritten = 0
  const written = () => {
    unwritten--
  }
  const log: AuditLog = {
    append(record) {
      const appended = chained.append(record)
      if (!appended) return
      unwritten++
      appended.then(written, written)
      return appended
    },
    get head() {
      return chained.head
    },
  }
  return {
    log,
    head: () => chained.head ?? begin,
    async quiet() {
      do await setTimeout(lookEveryMs)
      while (unwritten > 0)
    },
  }
}
