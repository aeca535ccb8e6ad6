import type { AuditEntry, AuditHead } from 'toolwire/guard'
import { type DatabaseConnection, numberCell, prepare, type Row, textCell } from '../connection.js'
import { callIndex } from './call-index.js'

/** The log: added to at its end, and dropped at its beginning. */
export function auditRows(db: DatabaseConnection) {
  const insert = prepare(db, 'INSERT INTO audit (sequence, hash, text) VALUES (?, ?, ?)')
  const last = prepare(db, 'SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1')
  const one = prepare(db, 'SELECT sequence, hash, text FROM audit WHERE sequence = ?')
  const after = prepare(db, 'SELECT sequence, hash, text FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?')
  const oldest = prepare(db, 'SELECT min(sequence) AS sequence FROM audit')
  const drop = prepare(db, 'DELETE FROM audit WHERE sequence <= ?')
  const index = callIndex(db)

  const head = () => headIn(last.first())
  return {
    append(entries: readonly AuditEntry[]): void {
      const next = (head()?.sequence ?? 0) + 1
      if (entries[0]?.sequence !== next) throw new Error(`The log goes on with record ${next}, not with ${entries[0]?.sequence}`)
      for (const { sequence, hash, text } of entries) insert.run(sequence, hash, text)
    },
    head,
    index,
    entry: (sequence: number): AuditEntry | undefined => entryIn(one.first(sequence)),
    entriesAfter: (sequence: number, most: number): AuditEntry[] =>
      after.all(sequence, most).flatMap((row) => entryIn(row) ?? []),
    oldest: (): number => numberCell(oldest.first()?.sequence) ?? 1,
    /** Everything up to this one. */
    drop(sequence: number): void {
      drop.run(sequence)
      index.drop(sequence)
    },
  }
}

export type AuditRows = ReturnType<typeof auditRows>

function headIn(row: Row | undefined): AuditHead | undefined {
  const sequence = numberCell(row?.sequence)
  return sequence === undefined ? undefined : { sequence, hash: textCell(row?.hash) ?? '' }
}

function entryIn(row: Row | undefined): AuditEntry | undefined {
  const head = headIn(row)
  return head && { ...head, text: textCell(row?.text) ?? '' }
}
