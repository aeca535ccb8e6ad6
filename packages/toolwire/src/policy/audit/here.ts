import type { AuditRecord } from '../audit-record.js'
import type { AuditLog } from './chain.js'
import { type AuditEntry, type AuditHead, auditLine, entryAfter } from './entry.js'
import { Pages } from './pages.js'
import { recordTexts } from './record-text.js'

/** A log in memory. */
export type AuditHere = AuditLog & {
  /** What is kept, oldest first. */
  entries(): readonly AuditEntry[]
  /** The same as `verifyAudit` reads it. */
  lines(): readonly string[]
  /** What the oldest entry names as the one before it, where that was dropped: for `verifyAudit`, because the log begins after it. */
  readonly from: AuditHead | undefined
}

/** Keeps the log in memory, for tests and for what nobody needs tomorrow: the latest 10,000 entries, and 8 MiB, at most. */
export function auditHere({ most = 10_000 }: { most?: number } = {}): AuditHere {
  if (!(most >= 1)) throw new RangeError('most must be 1 or more')
  return new Here(most)
}

/** Stands for the entries that were dropped before anybody looked. */
const unseen = '0'.repeat(64)

/** Entries are chained when somebody looks at them, and from then on: until then nobody can tell, and most logs are never looked at. */
class Here implements AuditHere {
  readonly #members = recordTexts()
  readonly #pages: Pages
  #from: AuditHead | undefined
  #head: AuditHead | undefined
  #looked = false
  #dropped = 0

  constructor(most: number) {
    this.#pages = new Pages(most, (count) => this.#drop(count))
  }

  append(record: AuditRecord): void {
    this.#pages.push(this.#members(record))
  }

  get from(): AuditHead | undefined {
    return this.#from
  }

  get head(): AuditHead | undefined {
    this.#looked = true
    const known = this.#head ?? this.#from
    const news = this.#pages.texts().slice(known ? known.sequence - this.#dropped : 0)
    const last = chained(known, news).at(-1)
    if (last) this.#head = { sequence: last.sequence, hash: last.hash }
    return this.#head
  }

  entries(): readonly AuditEntry[] {
    this.#looked = true
    return chained(this.#from, this.#pages.texts())
  }

  lines(): readonly string[] {
    return this.entries().map(auditLine)
  }

  /** What somebody has seen must stay linked to what comes later. */
  #drop(count: number): void {
    this.#dropped += count
    const hash = this.#looked ? chained(this.#from, this.#pages.oldest(count)).at(-1)?.hash : unseen
    this.#from = { sequence: this.#dropped, hash: hash ?? unseen }
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
