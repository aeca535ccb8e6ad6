import type { AuditEntry, AuditRecord } from 'toolwire/guard'
import type { AuditCall } from './audit-query.js'
import { logPages } from './log-pages.js'

export type StoredRecord = { readonly entry: AuditEntry; readonly record: AuditRecord; readonly call: AuditCall | undefined }

/** The queries of a store. */
type LogQueries = {
  entry(sequence: number): Promise<AuditEntry | undefined>
  callOf(id: string): Promise<AuditCall | undefined>
  /** The sequence of the first call since a moment, and of the last record or call; null if there is none. */
  span(from: number): Promise<{ readonly first: number | null; readonly last: number | null }>
  callsAfter(sequence: number, most: number): Promise<readonly AuditCall[]>
}

/** Calls since a moment, with some of those before it, but only the latest `most`. */
type PastCallsQuery = { readonly from: number; readonly most: number; readonly signal: AbortSignal }

/** Other jobs run between two pages. */
const pageSize = 1_000

export function logReader({ entry: entryAt, callOf, span, callsAfter }: LogQueries) {
  return {
    async record(sequence: number): Promise<StoredRecord | undefined> {
      const entry = await entryAt(sequence)
      if (!entry) return undefined
      const record = recordIn(entry)
      return { entry, record, call: await callOf(record.id) }
    },
    callOf,
    /** Calls made before now, in the order of the log, page by page. */
    async *past({ from, most, signal }: PastCallsQuery): AsyncGenerator<readonly AuditCall[]> {
      const { first, last } = await span(from)
      if (first === null || last === null) return
      // Each call has two records.
      const after = Math.max(first - 1, last - 2 * most)
      for await (const page of logPages((at) => callsAfter(at, pageSize), after, last)) {
        yield page
        if (signal.aborted) return
      }
    },
  }
}

/** Parses a record that the log has written, and removes its place in the log. */
function recordIn({ text }: AuditEntry): AuditRecord {
  const { sequence: _, previous: __, ...record } = JSON.parse(text) as AuditRecord & { sequence: number; previous: unknown }
  return record
}
