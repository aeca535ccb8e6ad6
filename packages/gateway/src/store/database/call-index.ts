import type { AuditEntry, AuditRecord } from 'toolwire/guard'
import { type Connection, sql } from './connection.js'

/** How many records a stretch of the log has. */
export const stretchSize = 1_000

/** Keeps what searches need beside the log, in the same transaction. */
export function callIndex(db: Connection) {
  const begin = sql(db, 'INSERT INTO calls (sequence, call, at, caller, server, tool, continued) VALUES (?, ?, ?, ?, ?, ?, ?)')
  const end = sql(
    db,
    'UPDATE calls SET ended = ?, duration = ?, decision = ?, outcome = ?, reason = ? WHERE call = ? AND ended IS NULL',
  )
  const stretch = sql(
    db,
    `INSERT INTO stretches (stretch, earliest, latest) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET earliest = min(earliest, excluded.earliest), latest = max(latest, excluded.latest)`,
  )
  const dropCalls = sql(db, 'DELETE FROM calls WHERE sequence <= ?')
  const dropStretches = sql(db, 'DELETE FROM stretches WHERE (stretch + 1) * ? - 1 <= ?')

  function note(sequence: number, record: AuditRecord): void {
    const { id, caller, server = null, tool, continued } = record
    if (record.kind === 'intent') return void begin.run(sequence, id, timeOf(record), caller, server, tool, continued ? 1 : 0)
    const { durationMs, decision, outcome, reason = null } = record
    end.run(sequence, durationMs, decision, outcome, reason, id)
  }

  return {
    add(entries: readonly AuditEntry[]): void {
      const times = new Map<number, { earliest: number; latest: number }>()
      for (const { sequence, text } of entries) {
        const record = JSON.parse(text) as AuditRecord // the log has just written it
        note(sequence, record)
        widen(times, Math.floor(sequence / stretchSize), timeOf(record))
      }
      for (const [number, { earliest, latest }] of times) stretch.run(number, earliest, latest)
    },
    drop(sequence: number): void {
      dropCalls.run(sequence)
      dropStretches.run(stretchSize, sequence)
    },
  }
}

/** A time that is no number is written as null. */
const timeOf = ({ at }: AuditRecord): number => Math.trunc(at ?? 0)

function widen(times: Map<number, { earliest: number; latest: number }>, stretch: number, at: number): void {
  const { earliest, latest } = times.get(stretch) ?? { earliest: at, latest: at }
  times.set(stretch, { earliest: Math.min(earliest, at), latest: Math.max(latest, at) })
}
