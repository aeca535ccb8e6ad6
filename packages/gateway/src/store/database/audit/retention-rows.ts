import type { AuditHead } from 'toolwire/guard'
import { type DatabaseConnection, preparer } from '../connection.js'
import { stateRows } from '../key-value-rows.js'
import type { AuditRows } from './audit-rows.js'
import { indexBlockSize } from './call-index.js'

/** Limits of the log: the number of records, and the time before which they are dropped. */
export type RetentionLimits = { readonly records?: number; readonly before?: number }

/** Bounded, so that other jobs do not wait for long. */
const mostAtOnce = 2_000

/** Drops old records, but never the last one, because the log continues from it. */
export function retentionRows(db: DatabaseConnection, rows: AuditRows) {
  const young = preparer(db)<{ stretch: number | null }>('SELECT min(stretch) AS stretch FROM stretches WHERE latest >= ?')
  const state = stateRows(db)

  function lastToDrop({ records, before }: RetentionLimits): number {
    const newest = rows.head()?.sequence ?? 0
    const byCount = records === undefined ? 0 : newest - Math.max(1, records)
    if (before === undefined) return byCount
    // Only whole stretches are dropped, in their order, so that a clock that was wrong once does not make a hole.
    const stretch = young.first(before)?.stretch ?? undefined
    const byTime = stretch === undefined ? newest - 1 : stretch * indexBlockSize - 1
    return Math.max(byCount, Math.min(byTime, newest - 1))
  }

  return {
    /** Returns the next record at which the log could be cut; undefined if nothing is to be dropped. */
    cut(keep: RetentionLimits): AuditHead | undefined {
      const oldest = rows.oldest()
      const last = Math.min(lastToDrop(keep), oldest + mostAtOnce - 1)
      const entry = last >= oldest ? rows.entry(last) : undefined
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
