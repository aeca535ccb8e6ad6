import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'

/**
 * One process for each data directory. The operating system holds the lock for as long as the process lives, so none is left over;
 * the other file only says who it is.
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
    /** Released without it when the process ends. */
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
    `The data directory ${directory} is in use by ${who}. Stop that one first, or give this one a directory of its own by --data-dir.`,
  )
}

function readOwner(file: string): string[] {
  try {
    if (!statSync(file).isFile()) return []
    return readFileSync(file, 'utf8').trim().split(' ')
  } catch {
    return [] // it is about to be written
  }
}
