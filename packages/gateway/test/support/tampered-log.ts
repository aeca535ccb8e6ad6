// Somebody with the file and a program for it, while the gateway is not running.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { parseSignedHead, type SignedHead } from '../../src/store/audit/signed-head.js'
import { openDatabase } from './open-database.js'

export function tamper(directory: string, statements: string): void {
  const db = openDatabase(directory)
  db.exec(statements)
  db.close()
}

/** What somebody with the file reads in it. */
export function read(directory: string, statement: string): Record<string, unknown>[] {
  const db = new Database(join(directory, 'toolwire.db'), { readonly: true })
  const rows = db.prepare(statement).all() as Record<string, unknown>[] // the rows of a query are objects
  db.close()
  return rows
}

/** The signed head before which records were dropped, as the database holds it. */
export function markIn(directory: string): SignedHead | undefined {
  const [mark] = read(directory, `SELECT value FROM state WHERE name = 'from'`)
  return mark && parseSignedHead(String(mark.value))
}

/** Whether these bytes stand anywhere in the files of the directory. */
export const bytesIn = (directory: string, bytes: string | Uint8Array): boolean =>
  readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(Buffer.from(bytes)))
