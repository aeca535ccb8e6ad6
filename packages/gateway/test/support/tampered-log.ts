// An attacker with access to the database file while the gateway is not running.

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

/** Reads the database as an attacker with the file. */
export function read(directory: string, statement: string): Record<string, unknown>[] {
  const db = new Database(join(directory, 'toolwire.db'), { readonly: true })
  const rows = db.prepare(statement).all() as Record<string, unknown>[] // the rows of a query are objects
  db.close()
  return rows
}

/** The retention mark in the database: a signed head before which records were dropped. */
export function markIn(directory: string): SignedHead | undefined {
  const [mark] = read(directory, `SELECT value FROM state WHERE name = 'from'`)
  return mark && parseSignedHead(String(mark.value))
}

/** True if a file of the directory contains these bytes. */
export const bytesIn = (directory: string, bytes: string | Uint8Array): boolean =>
  readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(Buffer.from(bytes)))
