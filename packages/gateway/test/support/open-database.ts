import { join } from 'node:path'
import Database from 'libsql'

const busyMs = 60_000

/** Opens the database of a data directory from another program, which waits for its turn to write. */
export function openDatabase(directory: string): Database.Database {
  const database = new Database(join(directory, 'toolwire.db'), { timeout: busyMs })
  database.pragma(`busy_timeout=${busyMs}`)
  return database
}
