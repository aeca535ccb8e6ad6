import type { AuditHead } from 'toolwire/guard'
import { type DatabaseConnection, preparer } from '../connection.js'
import { stateRows } from '../key-value-rows.js'
import type { AuditRows } from './audit-rows.js'
import { indexBlockSize } from './call-index.js'

/**
 * Limits of the log: the number of records, and the time before which they are dropped. The time has no effect if no record that was there
 * when the database was opened is as new as `newest`.
 */
export type RetentionLimits = { readonly records?: number; readonly before?: number; readonly newest?: number }

/** Bounded, so that other jobs do not wait for long. */
const mostAtOnce = 2_000

/** Drops old records, but never the last one, because the log continues from it. */
export function retentionRows(db: DatabaseConnection, rows: AuditRows) {
  const sql = preparer(db)
  const young = sql<{ stretch: number | null }>('SELECT min(stretch) AS stretch FROM stretches WHERE latest >= ?')
  const youngRecord = sql<{ sequence: number | null }>(
    `SELECT min(sequence) AS sequence FROM audit WHERE sequence BETWEEN ? AND ? AND json_valid(text) AND text ->> '$.at' >= ?`,
  )
  const timeOf = sql<{ at: number | null }>(`SELECT text ->> '$.at' AS at FROM audit WHERE sequence = ? AND json_valid(text)`)
  const lastAt = timeOf.first(rows.head()?.sequence ?? 0)?.at ?? undefined
  const state = stateRows(db)

  /**
   * The last record of these that is older, with all before it. Only whole stretches are dropped, so that a clock that was wrong once
   * does not make a hole. The records tell their times as well, because no chain protects the table of stretches.
   */
  function lastOlder(before: number, first: number, until: number): number {
    const stretch = young.first(before)?.stretch ?? undefined
    const last = stretch === undefined ? until : Math.min(until, stretch * indexBlockSize - 1)
    return (youngRecord.first(first, last, before)?.sequence ?? last + 1) - 1
  }

  return {
    /** Returns the next record at which the log could be cut; undefined if nothing is to be dropped. */
    cut({ records, before, newest: newestAt }: RetentionLimits): AuditHead | undefined {
      const oldest = rows.oldest()
      const newest = rows.head()?.sequence ?? 0
      const most = Math.min(newest - 1, oldest + mostAtOnce - 1)
      const byCount = records === undefined ? 0 : newest - Math.max(1, records)
      const isDoubtful = newestAt !== undefined && lastAt !== undefined && lastAt < newestAt
      const byTime = before === undefined || isDoubtful ? 0 : lastOlder(before, oldest, most)
      const last = Math.min(Math.max(byCount, byTime), most)
      // A forged row before the beginning is returned, too, so that its verification fails.
      const entry = last >= oldest ? rows.entryUpTo(last) : undefined
      return entry && { sequence: entry.sequence, hash: entry.hash }
    },
    /** Drops everything up to this record. The signed mark states where the log begins. */
    drop({ sequence, hash }: AuditHead, mark: string): number {
      if (rows.entry(sequence)?.hash !== hash) throw new Error(`Record ${sequence} is not the one that was to be dropped`)
      const dropped = sequence - rows.oldest() + 1
      rows.drop(sequence)
      state.put('from', mark)
      return dropped
    },
    mark: () => state.get('from'),
    putMark: (mark: string): void => state.put('from', mark),
  }
}
