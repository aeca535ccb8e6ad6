// Moves records to the database that an earlier replica with the same data directory left on the disk.
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Appending, StreamMismatch } from '../audit/append-group.js'
import { appendAfterEnd } from './append-after-end.js'
import { spoolName } from './record-spool.js'
import { readSpoolLines } from './spool-file.js'
import { groupIn } from './spooled-group.js'

export type LeftoverParts = Pick<Appending, 'sql' | 'signer'> & {
  readonly directory: string
  readonly onNote: (words: string) => void
}

const spool = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/

export const hasLeftovers = (directory: string): boolean => leftovers(directory).length > 0

const leftovers = (directory: string): string[] =>
  existsSync(directory) ? readdirSync(directory).flatMap((name) => spool.exec(name)?.[1] ?? []) : []

/** Requires sole use of the directory. Records that do not continue the stream are put aside, and the operator gets a note. */
export async function moveLeftovers({ directory, onNote, sql, signer }: LeftoverParts): Promise<void> {
  for (const stream of leftovers(directory)) {
    const path = join(directory, spoolName(stream))
    try {
      const records = await moveFile(path, { sql, signer, stream, open: new Map() })
      await unlink(path)
      onNote(`${records} audit records of the last run of this replica were moved from the local disk to PostgreSQL`)
    } catch (thrown) {
      if (!(thrown instanceof StreamMismatch || thrown instanceof SpoolDamaged)) throw thrown
      renameSync(path, `${path}.unmoved`)
      onNote(`${thrown.message}. The records are kept in ${path}.unmoved. Check the database and the disk`)
    }
  }
}

class SpoolDamaged extends Error {
  override readonly name = 'SpoolDamaged'
}

/** The last line may be torn; no caller was told that its records are safe. */
async function moveFile(path: string, appending: Appending): Promise<number> {
  const { machine } = await import('toolwire/relay')
  const file = await machine.openRegular(path)
  try {
    const { size } = await file.stat()
    let records = 0
    for (let from = 0; ; ) {
      const { lines, next } = await readSpoolLines(file, from, size)
      if (lines.length === 0) return records
      const groups = lines.map((line) => groupIn(line, appending.stream, appending.signer))
      const damaged = groups.indexOf(undefined)
      const entries = groups.slice(0, damaged < 0 ? undefined : damaged).flatMap((group) => group ?? [])
      await appendAfterEnd(appending, entries)
      records += entries.length
      if (damaged >= 0) throw new SpoolDamaged(`The spool ${path} is damaged after ${records} records, which are in PostgreSQL`)
      from = next
    }
  } finally {
    await file.close()
  }
}
