import { type AuditEntry, type AuditHead, chainEntries, checkHead, entryAfter } from './entry.js'
import type { AuditIntent, AuditRecord, AuditRecordBase, CallEnding } from './record.js'
import { recordWriter } from './record-text.js'

/** Where entries are kept. */
export interface AuditSink {
  /** Where the log ends, so that it goes on there; undefined when nothing has been written yet. Asked once, before the first write. */
  head?(): AuditHead | undefined | Promise<AuditHead | undefined>
  /**
   * Keeps the entries, all or none: when it returns, or its promise settles, they must be safe, and when it fails none of them may
   * be there. It is not called again before it has answered; what comes meanwhile is given to it in one go.
   */
  write(entries: readonly AuditEntry[]): void | Promise<void>
  /**
   * Milliseconds from one write to the next where several calls are made at once: what comes meanwhile is written in one go, which costs
   * far less. A caller who makes one call after the other is never kept waiting.
   */
  readonly paceMs?: number
}

/** A log in which each entry names the one before. Any number of policies may write to it. */
export interface AuditLog {
  /** Returns, or its promise settles, when the record is safe; throws, or its promise rejects, when it is not. */
  append(record: AuditRecord): void | Promise<void>
  /** The last entry that is safe. Keep it elsewhere now and then: without it nobody can tell that the end of a log is missing. */
  readonly head: AuditHead | undefined
  /** @internal Takes the parts of records, and arguments that have no digest yet; reads none before they have. */
  readonly parts?: RecordParts
}

/** What a record is made of, for a log that keeps it in a form of its own. */
export type RecordParts = {
  intend(about: AuditRecordBase, args: AuditIntent['arguments']): void
  end(about: AuditRecordBase, ending: CallEnding, durationMs: number): void
}

/**
 * Chains the records that are appended, and hands them to the sink in their order.
 *
 * @example
 * ```ts
 * const log = (sink: AuditSink) => auditLog(sink)
 * ```
 */
export const auditLog = (sink: AuditSink): AuditLog => new ChainedLog(sink)

type Waiting = { readonly members: string; readonly resolve: () => void; readonly reject: (why: unknown) => void }

const mostWaiting = 10_000

class ChainedLog implements AuditLog {
  readonly #sink: AuditSink
  readonly #members = recordWriter()
  #head: AuditHead | undefined
  #opened: boolean
  #busy = false
  #waiting: Waiting[] = []

  constructor(sink: AuditSink) {
    this.#sink = sink
    this.#opened = sink.head === undefined
  }

  get head(): AuditHead | undefined {
    return this.#head && { sequence: this.#head.sequence, hash: this.#head.hash }
  }

  append(record: AuditRecord): void | Promise<void> {
    const members = this.#members(record)
    if (this.#busy || !this.#opened) return this.#wait(members)
    return this.#writeAtOnce(entryAfter(this.#head, members))
  }

  /** Most sinks in memory answer at once, and then there is nothing to wait for. */
  #writeAtOnce(entry: AuditEntry): void | Promise<void> {
    this.#busy = true
    let written: void | Promise<void>
    try {
      written = this.#sink.write([entry])
    } catch (thrown) {
      this.#next()
      throw thrown
    }
    if (isPending(written)) return this.#settled(entry, written)
    this.#head = entry
    this.#next()
  }

  async #settled(entry: AuditEntry, written: Promise<void>): Promise<void> {
    try {
      await written
      this.#head = entry
    } finally {
      this.#next()
    }
  }

  #wait(members: string): Promise<void> {
    if (this.#waiting.length >= mostWaiting) throw new Error(`${mostWaiting} records wait to be written to the audit log already`)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ members, resolve, reject })
      if (!this.#busy) this.#next()
    })
  }

  #next(): void {
    this.#busy = this.#waiting.length > 0
    if (this.#busy) void this.#writeWaiting(this.#waiting.splice(0))
  }

  async #writeWaiting(batch: readonly Waiting[]): Promise<void> {
    const began = performance.now()
    try {
      await this.#open()
      const records = batch.map(({ members }) => members)
      const entries = chainEntries(this.#head, records)
      await this.#sink.write(entries)
      this.#head = entries.at(-1)
      for (const { resolve } of batch) resolve()
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown)
    }
    const restMs = batch.length > 1 ? (this.#sink.paceMs ?? 0) - (performance.now() - began) : 0
    if (restMs > 0) setTimeout(() => this.#next(), restMs)
    else this.#next()
  }

  async #open(): Promise<void> {
    if (this.#opened) return
    this.#head = checkHead(await this.#sink.head?.())
    this.#opened = true
  }
}

/** Whether there is something to wait for. A promise of another library is one, too. */
export const isPending = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Goes on with the value: at once, where it is there at once. */
export const thenOrNow = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  isPending(value) ? value.then(next) : next(value)
