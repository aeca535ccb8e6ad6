import { sha256 } from '../digests.js'
import { type AuditLog, auditLog } from './chain.js'
import { type AuditEntry, type AuditHead, auditLine, placeIn } from './entry.js'
import { Pages } from './pages.js'

/** A log in memory. */
export type AuditHere = AuditLog & {
  /** What is kept, oldest first. */
  entries(): readonly AuditEntry[]
  /** The same as `verifyAudit` reads it. */
  lines(): readonly string[]
  /** The last entry that was dropped: for `verifyAudit`, because the log begins after it. */
  readonly from: AuditHead | undefined
}

/** Keeps the log in memory, for tests and for what nobody needs tomorrow: the latest 10,000 entries, and 8 MiB, at most. */
export function auditHere({ most = 10_000 }: { most?: number } = {}): AuditHere {
  if (!(most >= 1)) throw new RangeError('most must be 1 or more')
  const pages = new Pages(most)
  const log = auditLog({
    write(entries) {
      for (const { text } of entries) pages.push(text)
    },
  })
  const entries = () => pages.texts().map(entryOf)
  return {
    append: (record) => log.append(record),
    get head() {
      return log.head
    },
    get from() {
      const [oldest] = entries()
      const previous = oldest && placeIn(oldest.text)?.previous
      return oldest && previous !== undefined ? { sequence: oldest.sequence - 1, hash: previous } : undefined
    },
    entries,
    lines: () => entries().map(auditLine),
  }
}

const entryOf = (text: string): AuditEntry => ({ sequence: placeIn(text)?.sequence ?? 0, hash: sha256(text), text })
