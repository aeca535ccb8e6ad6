import { setTimeout } from 'node:timers/promises'
import type { AuditEntry, AuditHead, AuditLog, AuditRecord } from 'toolwire/guard'
import { approvals } from 'toolwire/relay'

/** About the time of one write on most disks, so that faster disks are not used for every single record. */
const paceMs = 4
const lookEveryMs = 1

/** The chained log that continues after `begin`, with a way to wait until no write is pending. */
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
