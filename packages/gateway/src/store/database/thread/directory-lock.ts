import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'

/**
 * Locks a data directory for one process. The operating system holds the lock as long as the process lives, so no stale lock remains.
 * The other file only names the process.
 */
export function lockDirectory(directory: string) {
  const owner = join(directory, 'toolwire.pid')
  const db = new Database(join(directory, 'toolwire.lock'))
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (thrown) {
    db.close()
    throw isBusy(thrown) ? inUse(directory, owner) : thrown
  }
  writeFileSync(owner, `${process.pid} ${new Date().toISOString()}\n`, { mode: 0o600 })
  return {
    /** The end of the process releases the lock as well. */
    release(): void {
      rmSync(owner, { force: true })
      db.close()
    },
  }
}

const isBusy = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'SQLITE_BUSY'

function inUse(directory: string, owner: string): Error {
  const [pid, since] = readOwner(owner)
  const who = pid === undefined ? 'another process' : `process ${pid}, since ${since}`
  return new Error(
    `The data directory ${directory} is in use by ${who}. Stop that process first, or give this gateway its own directory with --data-dir.`,
  )
}

function readOwner(file: string): string[] {
  try {
    if (!statSync(file).isFile()) return []
    return readFileSync(file, 'utf8').trim().split(' ')
  } catch {
    return [] // the owner is about to write it
  }
}
