import type { AuditRecord } from 'toolwire/guard'
import { type DatabaseConnection, inTransaction, preparer } from '../connection.js'
import { stateRows } from '../key-value-rows.js'

/** Number of records in a stretch of the log. */
export const indexBlockSize = 1_000

/** Bounded, because other jobs wait for the database meanwhile. */
const mostAtOnce = 2_000
const mark = 'indexed'

type Logged = { readonly sequence: number; readonly text: string }

/**
 * Keeps the index of calls for searches. The index is derived from the log and may lag behind it, because a record is safe long before
 * it has been put into each of the many indexes.
 */
export function callIndex(db: DatabaseConnection) {
  const sql = preparer(db)
  const news = sql<Logged>('SELECT sequence, text FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?')
  const state = stateRows(db)
  const begin = sql('INSERT INTO calls (sequence, call, at, caller, server, tool, continued) VALUES (?, ?, ?, ?, ?, ?, ?)')
  const end = sql(
    'UPDATE calls SET ended = ?, duration = ?, decision = ?, outcome = ?, reason = ? WHERE call = ? AND ended IS NULL',
  )
  const stretch = sql(`INSERT INTO stretches (stretch, earliest, latest) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET earliest = min(earliest, excluded.earliest), latest = max(latest, excluded.latest)`)
  const dropCalls = sql('DELETE FROM calls WHERE sequence <= ?')
  const dropStretches = sql('DELETE FROM stretches WHERE (stretch + 1) * ? - 1 <= ?')

  function note(sequence: number, record: AuditRecord): void {
    const { id, caller, server = null, tool, continued } = record
    if (record.kind === 'intent') return void begin.run(sequence, id, timeOf(record), caller, server, tool, continued ? 1 : 0)
    const { durationMs, decision, outcome, reason = null } = record
    end.run(sequence, durationMs, decision, outcome, reason, id)
  }

  function add(rows: readonly Logged[]): void {
    const times = new Map<number, { earliest: number; latest: number }>()
    for (const { sequence, text } of rows) {
      const record = JSON.parse(text) as AuditRecord // the log has written it
      note(sequence, record)
      const [number, at] = [Math.floor(sequence / indexBlockSize), timeOf(record)]
      const { earliest, latest } = times.get(number) ?? { earliest: at, latest: at }
      times.set(number, { earliest: Math.min(earliest, at), latest: Math.max(latest, at) })
    }
    for (const [number, { earliest, latest }] of times) stretch.run(number, earliest, latest)
  }

  /** Indexes some further records, all or none of them. Returns false if there may be more. */
  function goOn(): boolean {
    const rows = news.all(Number(state.get(mark) ?? 0), mostAtOnce)
    const last = rows.at(-1)
    if (!last) return true
    inTransaction(db, () => {
      add(rows)
      state.put(mark, `${last.sequence}`)
    })
    return rows.length < mostAtOnce
  }

  return {
    goOn,
    /** Dropped records that are not indexed yet never will be. */
    drop(sequence: number): void {
      dropCalls.run(sequence)
      dropStretches.run(indexBlockSize, sequence)
    },
  }
}

/** A time that is no number is written as null in JSON. */
const timeOf = ({ at }: AuditRecord): number => Math.trunc(at ?? 0)
