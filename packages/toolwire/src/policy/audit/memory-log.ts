import { type AuditEntry, type AuditHead, auditLine, entryAfter } from './entry.js'
import type { AuditLog, RecordParts } from './log.js'
import { MemoryRows } from './memory-rows.js'
import type { AuditRecord } from './record.js'
import { recordWriter } from './record-text.js'

/** A log in memory. */
export type MemoryAuditLog = AuditLog & {
  /** What is kept, oldest first. */
  entries(): readonly AuditEntry[]
  /** The same as `verifyAudit` reads it. */
  lines(): readonly string[]
  /** What the oldest entry names as the one before it, where that was dropped: for `verifyAudit`, because the log begins after it. */
  readonly from: AuditHead | undefined
}

/**
 * Keeps the log in memory, for tests and for what nobody needs tomorrow: the latest 1,000 entries, and 8 Mi characters of arguments, at most.
 *
 * @example
 * ```ts
 * const log = memoryAudit()
 * ```
 */
export function memoryAudit({ most = 1_000 }: { most?: number } = {}): MemoryAuditLog {
  if (!(most >= 1)) throw new RangeError('most must be 1 or more')
  return new MemoryLog(most)
}

/** A timer that a runtime may keep from holding up the end of the process. */
type Timer = ReturnType<typeof setTimeout> & { unref?: () => void }

/** Stands for the entries that were dropped before anybody looked. */
const unseen = '0'.repeat(64)

/** Under load most arguments are gone from the log before that, and nobody has seen them. */
const digestsAfterMs = 1_000

/** Entries are chained when somebody looks at them, and from then on: until then nobody can tell, and most logs are never looked at. */
class MemoryLog implements MemoryAuditLog {
  readonly parts: RecordParts = {
    intend: (about, args) => {
      this.#rows.intend(about, args)
      this.#digestLater()
    },
    end: (about, ending, durationMs) => this.#rows.end(about, ending, { at: Date.now(), durationMs }),
  }
  readonly #members = recordWriter()
  readonly #rows: MemoryRows
  #from: AuditHead | undefined
  #head: AuditHead | undefined
  #looked = false
  #dropped = 0
  #timer: Timer | undefined

  constructor(most: number) {
    this.#rows = new MemoryRows(most, (oldest) => this.#drop(oldest))
  }

  append(record: AuditRecord): void {
    this.#rows.push(record)
    this.#digestLater()
  }

  get from(): AuditHead | undefined {
    return this.#looked || this.#dropped === 0 ? this.#from : { sequence: this.#dropped, hash: unseen }
  }

  get head(): AuditHead | undefined {
    const known = this.#head && this.#head.sequence >= this.#dropped ? this.#head : this.#look()
    const last = this.#chained(known, this.#rows.records((known?.sequence ?? 0) - this.#dropped)).at(-1)
    if (last) this.#head = { sequence: last.sequence, hash: last.hash }
    return this.#head
  }

  entries(): readonly AuditEntry[] {
    return this.#chained(this.#look(), this.#rows.records())
  }

  lines(): readonly string[] {
    return this.entries().map(auditLine)
  }

  #digestLater(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.#digest(), digestsAfterMs)
    this.#timer.unref?.()
  }

  #digest(): void {
    this.#timer = undefined
    this.#rows.digest()
  }

  #look(): AuditHead | undefined {
    this.#from = this.from
    this.#looked = true
    return this.#from
  }

  /** What somebody has seen must stay linked to what comes later. */
  #drop(oldest: () => AuditRecord): void {
    this.#dropped++
    if (this.#looked) this.#from = this.#chained(this.#from, [oldest()])[0]
  }

  #chained(head: AuditHead | undefined, records: readonly AuditRecord[]): AuditEntry[] {
    return chained(
      head,
      records.map((record) => this.#members(record)),
    )
  }
}

function chained(head: AuditHead | undefined, members: readonly string[]): AuditEntry[] {
  let last = head
  return members.map((text) => {
    const entry = entryAfter(last, text)
    last = entry
    return entry
  })
}
