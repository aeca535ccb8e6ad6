import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import type { Cell } from './cells.js'

export type DatabaseConnection = Database.Database

const busyMs = 10_000

/** Opens the database file, so that committed data is on disk and readers never wait for writers. */
export function openDatabase(file: string): DatabaseConnection {
  const db = new Database(file, { timeout: busyMs })
  db.pragma(`busy_timeout=${busyMs}`)
  db.pragma('journal_mode=WAL')
  db.pragma('synchronous=FULL')
  db.pragma('cache_size=-16384')
  db.pragma('temp_store=MEMORY')
  db.pragma('trusted_schema=OFF')
  // Deleted data is overwritten.
  db.pragma('secure_delete=ON')
  return db
}

/** Opens a database file that no process has open. No file changes, and none is created. */
export function openDatabaseForReading(file: string): DatabaseConnection {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (hasLog && !existsSync(`${file}-shm`))
    throw new Error(`${file} has a write-ahead log without its file -shm. Copy both, or create an empty ${file}-shm in a copy.`)
  // SQLite creates a missing log, unless it is told that nothing changes.
  const db = new Database(`${pathToFileURL(file)}?mode=ro&${hasLog ? 'readonly_shm=1' : 'immutable=1'}`)
  db.pragma('temp_store=MEMORY')
  db.pragma('trusted_schema=OFF')
  return db
}

/** A compiled statement, which returns rows or the number of changed rows. */
export type Statement<Row> = {
  run(...cells: readonly Cell[]): number
  first(...cells: readonly Cell[]): Row | undefined
  all(...cells: readonly Cell[]): Row[]
}

/** Prepares statements. The type of a row names the columns of its statement; all tables are strict. */
export const preparer =
  (db: DatabaseConnection) =>
  <Row extends object = never>(text: string): Statement<Row> => {
    const statement = db.prepare(text)
    return {
      run: (...cells) => statement.run([...cells]).changes,
      // The rows are plain objects whose members are the columns of the statement.
      first(...cells) {
        const row = statement.get([...cells]) as (Row & { _metadata?: unknown }) | undefined
        delete row?._metadata
        return row
      },
      all: (...cells) => statement.all([...cells]) as Row[],
    }
  }

/** Runs work in a transaction, or in a savepoint if a transaction is open. */
export function inTransaction<T>(db: DatabaseConnection, work: () => T): T {
  const [begin, commit, rollback] = db.inTransaction
    ? ['SAVEPOINT part', 'RELEASE part', 'ROLLBACK TO part; RELEASE part']
    : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
  db.exec(begin)
  try {
    const done = work()
    db.exec(commit)
    return done
  } catch (thrown) {
    // On a full disk, SQLite has already rolled back.
    if (db.inTransaction) db.exec(rollback)
    throw thrown
  }
}
