import { setTimeout } from 'node:timers/promises'
import type { AuditEntry, AuditHead, AuditLog, AuditRecord } from 'toolwire/guard'
import { approvals } from 'toolwire/relay'

/** About as long as most disks take to write anything, so that quicker ones are not asked for every record. */
const paceMs = 4
const lookEveryMs = 1

/** The chained log, which goes on after `begin`, and how to wait until nothing of it is under way. */
export function logWriter(begin: AuditHead | undefined, write: (entries: readonly AuditEntry[]) => Promise<void>) {
  const chained = approvals.chainedLog({ head: () => begin, paceMs, write })
  const { counted, quiet } = pendingWrites()
  return {
    append(record: AuditRecord): ReturnType<AuditLog['append']> {
      const appended = chained.append(record)
      return appended && counted(appended)
    },
    appendIf: ((...asked) => counted(chained.appendIf(...asked))) satisfies approvals.ConditionalLog['appendIf'],
    head: () => chained.head ?? begin,
    quiet,
  }
}

/** Counts the writes that are under way. */
export function pendingWrites() {
  let count = 0
  const ended = () => {
    count--
  }
  return {
    counted<T>(writing: Promise<T>): Promise<T> {
      count++
      writing.then(ended, ended)
      return writing
    },
    /** Settles when all writes have ended, even if some failed. */
    async quiet(): Promise<void> {
      do await setTimeout(lookEveryMs)
      while (count > 0)
    },
  }
}
