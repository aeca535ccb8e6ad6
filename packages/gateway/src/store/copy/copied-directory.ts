import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { prepareDataDirectory } from '../data-directory.js'
import { restoreApprovals } from '../database/approvals/approval-rows.js'
import { type DatabaseConnection, openDatabase, preparer } from '../database/connection.js'
import { isMigrated, migrate } from '../database/migrations.js'
import { lockDirectory } from '../database/thread/directory-lock.js'
import { monotonicNow } from '../database/thread/messages.js'

/** A data directory that no gateway has open. All changes to its database are one transaction. */
export type CopiedDirectory = {
  readonly db: DatabaseConnection
  readonly directory: string
  /** Files that were added for the copy. */
  readonly added: string[]
  commit(): void
  /** Releases the directory. Without a commit, changes are rolled back and added files are removed. */
  close(): void
}

/** Opens the store as the next gateway would find it, and leaves the directory unchanged. */
export function openSourceDirectory(directory: string): CopiedDirectory {
  if (!existsSync(join(directory, 'toolwire.db')))
    throw new Error(`There is no store in ${directory}. Name the data directory of a gateway with --data-dir.`)
  return openLocked(directory, (db) => {
    if (!isMigrated(db))
      throw new Error(
        `The store in ${directory} is of another version than this program. Start a gateway of this version there once (toolwire up), stop it, and copy again.`,
      )
    db.exec('BEGIN IMMEDIATE')
    restoreApprovals(db, monotonicNow(), Date.now())
  })
}

/** Opens an empty store, and creates it if necessary. */
export const openTargetDirectory = (directory: string): CopiedDirectory =>
  openLocked(directory, (db) => {
    migrate(db)
    const [first] = ['audit', 'approvals', 'kept', 'sealed'].filter(
      (table) => preparer(db)<object>(`SELECT 1 AS there FROM ${table} LIMIT 1`).first() !== undefined,
    )
    if (first !== undefined)
      throw new Error(
        `The data directory ${directory} has a store already. Move its toolwire.db, toolwire.db-wal and toolwire.db-shm away together and keep its keys, or name another directory with --data-dir.`,
      )
    db.exec('BEGIN IMMEDIATE')
  })

function openLocked(directory: string, begin: (db: DatabaseConnection) => void): CopiedDirectory {
  const file = prepareDataDirectory(directory)
  const lock = lockDirectory(directory)
  const files = ['', '-wal', '-shm'].map((end) => `${file}${end}`)
  // Only under the lock is it known that the database is this one's.
  const isNew = statSync(file).size === 0 && !files.slice(1).some((one) => existsSync(one))
  const added = isNew ? files : []
  let db: DatabaseConnection | undefined
  let isCommitted = false
  const close = () => {
    if (db?.inTransaction) db.exec('ROLLBACK')
    db?.close()
    if (!isCommitted) for (const path of added) rmSync(path, { force: true })
    // Its file stays: without it, two processes could have the directory.
    lock.release()
  }
  try {
    const opened = openDatabase(file)
    db = opened
    begin(opened)
    const commit = () => {
      opened.exec('COMMIT')
      isCommitted = true
    }
    return { db: opened, directory, added, commit, close }
  } catch (thrown) {
    close()
    throw thrown
  }
}
