import { setImmediate } from 'node:timers/promises'
import { type AuditEntry, type AuditHead, type AuditLog, auditLog } from 'toolwire/guard'

/** The chained log, and how to wait until nothing of it is under way. */
export type WrittenLog = { readonly log: AuditLog; readonly head: () => AuditHead | undefined; quiet(): Promise<void> }

/** Goes on after `begin`. */
export function writtenLog(begin: AuditHead | undefined, write: (entries: readonly AuditEntry[]) => Promise<void>): WrittenLog {
  let writing = false
  const log = auditLog({
    head: () => begin,
    async write(entries) {
      writing = true
      try {
        await write(entries)
      } finally {
        writing = false
      }
    },
  })
  return {
    log,
    head: () => log.head ?? begin,
    async quiet() {
      // What waits while something is written is written in the same turn that it ends in.
      do await setImmediate()
      while (writing)
    },
  }
}
