import { encodeJson } from '../../json.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { wholeNumber } from '../../tools/checks/option-values.js'
import { type AuditEntry, type AuditHead, auditLine, chainEntries } from './entry.js'
import type { AuditLog, RecordParts } from './log.js'
import type { AuditRecord, AuditRecordBase, CallEnding } from './record.js'
import { recordWriter } from './record-text.js'
import { ArgumentDigests, LazyDigests } from './redaction.js'

/** A log in memory. */
export type MemoryAuditLog = AuditLog & {
  /** Stored entries, oldest first. */
  entries(): readonly AuditEntry[]
  /** The entries as lines for `verifyAudit`. */
  lines(): readonly string[]
  /** The entry before the oldest one, if it was dropped. `verifyAudit` needs it, because the log begins after it. */
  readonly from: AuditHead | undefined
}

const known = optionsOf<{ most?: number }>()({ most: wholeNumber(1) })

/**
 * Keeps the log in memory, for tests and for records that may end with the process. It holds at most the latest 1,000 entries, and 8 Mi
 * characters of arguments.
 *
 * @example
 * ```ts
 * const log = memoryAudit()
 * ```
 */
export function memoryAudit(options: { most?: number } = {}): MemoryAuditLog {
  checkOptions('memoryAudit()', options, known)
  return new MemoryLog(options.most ?? 1_000)
}

/** Timers of Node have `unref`, so that they do not keep the process alive. */
type Timer = ReturnType<typeof setTimeout> & { unref?: () => void }

/** The parts of a record, which nobody else changes. */
type Row = {
  readonly about: AuditRecordBase
  readonly at: number
  /** Arguments of an intent, as text unless they can never change. */
  arguments: LazyDigests | ArgumentDigests | string | undefined
  /** Approximate size of the arguments. */
  readonly characters: number
  /** Set for an outcome. */
  readonly ending: CallEnding | undefined
  readonly durationMs: number
}

/** Hash of an entry that was dropped before the log was first read. */
const unseen = '0'.repeat(64)

/** Delay of the digests. Under load, most arguments have left the log by then without being read. */
const digestsAfterMs = 1_000
const mostCharacters = 8 * 1_024 * 1_024
/** Characters of arguments that may wait for their digests. With more, all are digested at once. */
const mostUndigested = 1_024 * 1_024

/** Chains entries only from the first read on: nobody can tell the difference, and most logs are never read. */
class MemoryLog implements MemoryAuditLog {
  readonly parts: RecordParts = {
    intend: (about, args) => this.#intend(about, args),
    end: (about, ending, durationMs) => this.#end(about, ending, { at: Date.now(), durationMs }),
  }
  readonly #members = recordWriter()
  readonly #most: number
  /** Ring buffer, indexed by sequence number. */
  readonly #rows: Row[] = []
  #from: AuditHead | undefined
  #head: AuditHead | undefined
  #looked = false
  #dropped = 0
  #last = 0
  #characters = 0
  #undigested = 0
  #timer: Timer | undefined

  constructor(most: number) {
    this.#most = most
  }

  append(record: AuditRecord): void {
    if (record.kind === 'outcome') {
      const copy = { ...record }
      this.#end(copy, copy, copy)
    } else {
      const { arguments: args, ...about } = record
      this.#intend(about, args)
    }
  }

  get from(): AuditHead | undefined {
    return this.#looked || this.#dropped === 0 ? this.#from : { sequence: this.#dropped, hash: unseen }
  }

  get head(): AuditHead | undefined {
    const known = this.#head && this.#head.sequence >= this.#dropped ? this.#head : this.#look()
    const last = this.#entriesAfter(known).at(-1)
    if (last) this.#head = { sequence: last.sequence, hash: last.hash }
    return this.#head
  }

  entries(): readonly AuditEntry[] {
    return this.#entriesAfter(this.#look())
  }

  lines(): readonly string[] {
    return this.entries().map(auditLine)
  }

  #intend(about: AuditRecordBase, given: object): void {
    const isFixed = given instanceof LazyDigests || (given instanceof ArgumentDigests && !given.named)
    const args = isFixed ? given : encodeJson(given)
    const characters = charactersOf(args)
    this.#keep({ about, at: about.at, arguments: args, characters, ending: undefined, durationMs: 0 })
    if (args instanceof LazyDigests) this.#undigested += characters
    if (this.#undigested > mostUndigested) this.#digest()
    while (this.#characters > mostCharacters && this.#last - this.#dropped > 1) this.#drop()
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#digest()
    }, digestsAfterMs)
    this.#timer.unref?.()
  }

  #end(about: AuditRecordBase, ending: CallEnding, { at, durationMs }: { at: number; durationMs: number }): void {
    this.#keep({ about, at, arguments: undefined, characters: 0, ending, durationMs })
  }

  #keep(row: Row): void {
    if (this.#last - this.#dropped === this.#most) this.#drop()
    this.#rows[this.#last++ % this.#most] = row
    this.#characters += row.characters
  }

  /** Replaces the arguments by their digests. */
  #digest(): void {
    this.#undigested = 0
    for (const row of this.#rows) digest(row)
  }

  #look(): AuditHead | undefined {
    this.#from = this.from
    this.#looked = true
    return this.#from
  }

  /** Drops the oldest row. After the first read, it is still chained, because entries that were read must stay linked to later ones. */
  #drop(): void {
    const row = this.#rows[this.#dropped++ % this.#most]! // there is one for each place
    if (this.#looked) this.#from = chainEntries(this.#from, [this.#members(recordIn(row))])[0]
    this.#characters -= row.characters
    row.arguments = undefined
  }

  #entriesAfter(head: AuditHead | undefined): AuditEntry[] {
    const first = head?.sequence ?? 0
    const rows = Array.from({ length: this.#last - first }, (_, at) => this.#rows[(first + at) % this.#most]!)
    const records = rows.map((row) => this.#members(recordIn(row)))
    return chainEntries(head, records)
  }
}

function charactersOf(kept: Row['arguments']): number {
  if (kept instanceof LazyDigests) return kept.characters
  return typeof kept === 'string' ? kept.length : 0
}

function recordIn(row: Row): AuditRecord {
  const { about, at, ending, durationMs } = row
  if (ending) return { kind: 'outcome', ...about, at, durationMs, ...ending }
  digest(row)
  const { arguments: kept = {} } = row
  return { kind: 'intent', ...about, arguments: typeof kept === 'string' ? JSON.parse(kept) : kept }
}

function digest(row: Row): void {
  if (row.arguments instanceof LazyDigests) row.arguments = row.arguments.digests
}
