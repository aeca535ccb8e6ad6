import { isUtf8 } from 'node:buffer'
import type { AuditEntry, AuditHead } from 'toolwire/guard'
import { bytesIn } from '../cells.js'
import { type DatabaseConnection, preparer } from '../connection.js'
import { callIndex } from './call-index.js'

/** The log: records are appended at its end and dropped at its beginning. */
export function auditRows(db: DatabaseConnection) {
  const sql = preparer(db)
  const insert = sql('INSERT INTO audit (sequence, hash, text) VALUES (?, ?, ?)')
  const last = sql<AuditHead>('SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1')
  const one = sql<StoredRow>(`SELECT ${columns} FROM audit WHERE sequence = ?`)
  const upTo = sql<StoredRow>(`SELECT ${columns} FROM audit WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1`)
  const after = sql<StoredRow>(`SELECT ${columns} FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?`)
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
    entry: (sequence: number) => entryIn(one.first(sequence)),
    /** The last entry up to this sequence, which may be missing itself. */
    entryUpTo: (sequence: number) => entryIn(upTo.first(sequence)),
    entriesAfter: (sequence: number, most: number) => after.all(sequence, most).map((row) => entryIn(row)),
    oldest: () => oldest.first()?.sequence ?? 1,
    /** Drops everything up to this record. */
    drop(sequence: number): void {
      drop.run(sequence)
      index.drop(sequence)
    },
  }
}

type StoredRow = { readonly sequence: number; readonly hash: Uint8Array; readonly text: Uint8Array }

/** As bytes, because the driver ends a text at its first NUL, and ends the process at bytes that are not UTF-8. */
const columns = 'sequence, CAST(hash AS BLOB) AS hash, CAST(text AS BLOB) AS text'

function entryIn(row: StoredRow): AuditEntry
function entryIn(row: StoredRow | undefined): AuditEntry | undefined
function entryIn(row: StoredRow | undefined): AuditEntry | undefined {
  return row && { sequence: row.sequence, hash: textIn(row.hash), text: textIn(row.text) }
}

/** Empty if the bytes are not UTF-8, which no record is. */
function textIn(cell: Uint8Array): string {
  const bytes = Buffer.from(bytesIn(cell))
  return isUtf8(bytes) ? bytes.toString() : ''
}

export type AuditRows = ReturnType<typeof auditRows>
