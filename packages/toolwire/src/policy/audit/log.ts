import { isPending } from '../../bounds/then-or-now.js'
import { afterEvents } from '../../bounds/yield-when-busy.js'
import { type AuditEntry, type AuditHead, chainEntries, checkHead, entryAfter } from './entry.js'
import type { AuditIntent, AuditRecord, AuditRecordBase, CallEnding } from './record.js'
import { recordWriter } from './record-text.js'

/** Stores the entries of a log. */
export interface AuditSink {
  /** Returns the last entry, to continue after it, or undefined for a new log. Called once, before the first write. */
  head?(): AuditHead | undefined | Promise<AuditHead | undefined>
  /**
   * Stores all of the entries, or none. When it returns, or its promise resolves, they must be safe; when it fails, none may be stored. It
   * is not called again before it has finished. Records that arrive meanwhile are passed together, up to 500 at once.
   */
  write(entries: readonly AuditEntry[]): void | Promise<void>
  /**
   * Milliseconds from one write to the next under concurrent calls. Records that arrive in between are written together, which costs far
   * less. A caller who makes one call after the other waits for one turn of the event loop.
   */
  readonly paceMs?: number
}

/** A log in which each entry names the hash of the one before. Any number of policies may write to it. */
export interface AuditLog {
  /** Returns, or its promise resolves, when the record is safe; throws, or its promise rejects, when it is not. */
  append(record: AuditRecord): void | Promise<void>
  /** The last safe entry. Store it elsewhere now and then: without it, a missing end of the log cannot be detected. */
  readonly head: AuditHead | undefined
  /** @internal Takes the parts of records, with arguments that may have no digest yet. It reads no arguments before they have. */
  readonly parts?: RecordParts
}

/** A log that can append records on a condition. */
export type ConditionalLog = AuditLog & {
  /** Chains the records and passes them to `write` instead of the sink. `write` stores all of them, or none and returns false. */
  appendIf(records: readonly AuditRecord[], write: (entries: readonly AuditEntry[]) => Promise<boolean>): Promise<boolean>
}

/** Takes the parts of a record, for a log that stores them in its own form. */
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
/** A sink with a time limit could never write a larger group, however often it tries. */
const mostAtOnce = 500

export function chainedLog(sink: AuditSink): ConditionalLog {
  const membersOf = recordWriter()
  const waiting: Waiting[] = []
  const conditional: (() => Promise<void>)[] = []
  let wasConditional = false
  let head: AuditHead | undefined
  let isOpened = sink.head === undefined
  let isBusy = false

  /** Most sinks in memory are synchronous, and then there is nothing to wait for. */
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
      if (isBusy) return
      isBusy = true
      if (sink.paceMs === undefined) next()
      else afterEvents(next)
    })
  }

  function next(): void {
    // Conditional and other records take turns, so that neither kind keeps the other waiting.
    const one = wasConditional && waiting.length > 0 ? undefined : conditional.shift()
    wasConditional = one !== undefined
    isBusy = wasConditional || waiting.length > 0
    if (one) void one().finally(next)
    else if (isBusy) void writeWaiting(waiting.splice(0, mostAtOnce))
  }

  async function keep(records: readonly string[], write: (entries: readonly AuditEntry[]) => unknown): Promise<boolean> {
    if (!isOpened) head = checkHead(await sink.head?.())
    isOpened = true
    const entries = chainEntries(head, records)
    if ((await write(entries)) === false) return false
    head = entries.at(-1)
    return true
  }

  async function writeWaiting(batch: readonly Waiting[]): Promise<void> {
    const began = performance.now()
    try {
      await keep(
        batch.map(({ members }) => members),
        (entries) => sink.write(entries),
      )
      for (const { resolve } of batch) resolve()
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown)
    }
    // Records that are waiting already need no pause to become a group.
    const restMs = batch.length > 1 && batch.length < mostAtOnce ? (sink.paceMs ?? 0) - (performance.now() - began) : 0
    if (restMs > 0) setTimeout(next, restMs)
    else next()
  }

  return {
    get head() {
      return head && { sequence: head.sequence, hash: head.hash }
    },
    append(record) {
      const members = membersOf(record)
      return isBusy || !isOpened || sink.paceMs !== undefined ? wait(members) : writeAtOnce(entryAfter(head, members))
    },
    appendIf(records, write) {
      const members = records.map(membersOf)
      return new Promise((resolve, reject) => {
        conditional.push(() => keep(members, write).then(resolve, reject))
        if (!isBusy) next()
      })
    },
  }
}
