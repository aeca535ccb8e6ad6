import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { readSmallFile } from '../../data-directory.js'

const lockFile = 'toolwire.lock'
const ownerFile = 'toolwire.pid'

/**
 * Locks a data directory for one process. The operating system holds the lock as long as the process lives, so no stale lock remains.
 * The other file only names the process.
 */
export function lockDirectory(directory: string) {
  const owner = join(directory, ownerFile)
  const db = new Database(join(directory, lockFile))
  begin(db, 'BEGIN EXCLUSIVE', directory)
  writeFileSync(owner, `${process.pid} ${new Date().toISOString()}\n`, { mode: 0o600 })
  return {
    /** The end of the process releases the lock as well. */
    release(): void {
      rmSync(owner, { force: true })
      db.close()
    },
  }
}

/** Keeps a data directory from being locked, without a change to it. A copy may have no lock. */
export function shareDirectory(directory: string) {
  const file = join(directory, lockFile)
  const db = existsSync(file) ? new Database(`${pathToFileURL(file)}?mode=ro`) : undefined
  if (db) begin(db, 'BEGIN; SELECT count(*) FROM sqlite_schema', directory)
  return { release: (): void => void db?.close() }
}

function begin(db: Database.Database, statements: string, directory: string): void {
  try {
    db.exec(statements)
  } catch (thrown) {
    db.close()
    throw isBusy(thrown) ? inUse(directory) : thrown
  }
}

const isBusy = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'SQLITE_BUSY'

function inUse(directory: string): Error {
  const [pid, since] = readOwner(join(directory, ownerFile))
  const who = pid === undefined ? 'another process' : `process ${pid}, since ${since}`
  return new Error(
    `The data directory ${directory} is in use by ${who}. Stop that process first, or give this gateway its own directory with --data-dir.`,
  )
}

/** Empty if the owner is about to write it. */
const readOwner = (file: string): string[] => readSmallFile(file)?.trim().split(' ') ?? []
