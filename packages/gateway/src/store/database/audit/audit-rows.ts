import type { AuditEntry, AuditHead } from 'toolwire/guard'
import { type DatabaseConnection, preparer } from '../connection.js'
import { callIndex } from './call-index.js'

/** The log: records are appended at its end and dropped at its beginning. */
export function auditRows(db: DatabaseConnection) {
  const sql = preparer(db)
  const insert = sql('INSERT INTO audit (sequence, hash, text) VALUES (?, ?, ?)')
  const last = sql<AuditHead>('SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1')
  const one = sql<AuditEntry>('SELECT sequence, hash, text FROM audit WHERE sequence = ?')
  const after = sql<AuditEntry>('SELECT sequence, hash, text FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?')
  const oldest = sql<{ sequence: number | null }>('SELECT min(sequence) AS sequence FROM audit')
  const drop = sql('DELETE FROM audit WHERE sequence <= ?')
  const index = callIndex(db)

  return {
    append(entries: readonly AuditEntry[]): void {
      const next = (last.first()?.sequence ?? 0) + 1
      if (entries[0]?.sequence !== next) throw new Error(`The next record of the log is ${next}, not ${entries[0]?.sequence}`)
      for (const { sequence, hash, text } of entries) insert.run(sequence, hash, text)
    },
    head: () => last.first(),
    index,
    entry: (sequence: number) => one.first(sequence),
    entriesAfter: (sequence: number, most: number) => after.all(sequence, most),
    oldest: () => oldest.first()?.sequence ?? 1,
    /** Drops everything up to this record. */
    drop(sequence: number): void {
      drop.run(sequence)
      index.drop(sequence)
    },
  }
}

export type AuditRows = ReturnType<typeof auditRows>
