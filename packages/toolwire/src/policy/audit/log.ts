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
export const auditLog = (sink: AuditSink): AuditLog => chainedLog(sink)

type Waiting = { readonly members: string; readonly resolve: () => void; readonly reject: (why: unknown) => void }

const mostWaiting = 10_000

function chainedLog(sink: AuditSink): AuditLog {
  const membersOf = recordWriter()
  const waiting: Waiting[] = []
  let head: AuditHead | undefined
  let isOpened = sink.head === undefined
  let isBusy = false

  /** Most sinks in memory answer at once, and then there is nothing to wait for. */
  function writeAtOnce(entry: AuditEntry): void | Promise<void> {
    isBusy = true
    let written: void | Promise<void>
    try {
      written = sink.write([entry])
    } catch (thrown) {
      next()
      throw thrown
    }
    if (isPending(written)) return settled(entry, written)
    head = entry
    next()
  }

  async function settled(entry: AuditEntry, written: Promise<void>): Promise<void> {
    try {
      await written
      head = entry
    } finally {
      next()
    }
  }

  function wait(members: string): Promise<void> {
    if (waiting.length >= mostWaiting) throw new Error(`${mostWaiting} records wait to be written to the audit log already`)
    return new Promise((resolve, reject) => {
      waiting.push({ members, resolve, reject })
      if (!isBusy) next()
    })
  }

  function next(): void {
    isBusy = waiting.length > 0
    if (isBusy) void writeWaiting(waiting.splice(0))
  }

  async function writeWaiting(batch: readonly Waiting[]): Promise<void> {
    const began = performance.now()
    try {
      if (!isOpened) head = checkHead(await sink.head?.())
      isOpened = true
      const records = batch.map(({ members }) => members)
      const entries = chainEntries(head, records)
      await sink.write(entries)
      head = entries.at(-1)
      for (const { resolve } of batch) resolve()
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown)
    }
    const restMs = batch.length > 1 ? (sink.paceMs ?? 0) - (performance.now() - began) : 0
    if (restMs > 0) setTimeout(next, restMs)
    else next()
  }

  return {
    get head() {
      return head && { sequence: head.sequence, hash: head.hash }
    },
    append(record) {
      const members = membersOf(record)
      return isBusy || !isOpened ? wait(members) : writeAtOnce(entryAfter(head, members))
    },
  }
}

/** Whether there is something to wait for. A promise of another library is one, too. */
export const isPending = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Goes on with the value: at once, where it is there at once. */
export const thenOrNow = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  isPending(value) ? value.then(next) : next(value)
