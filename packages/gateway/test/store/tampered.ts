// Somebody with the file and a program for it, while the gateway is not running.
import { join } from 'node:path'
import Database from 'libsql'

export function tamper(directory: string, statements: string): void {
  const db = new Database(join(directory, 'toolwire.db'))
  db.exec(statements)
  db.close()
}
