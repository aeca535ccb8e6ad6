// Several stores on one PostgreSQL database, as in a fleet of gateways.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { newSigningKey } from '../../src/store/audit/signed-head.js'
import { openPostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/open-postgres-store.js'
import type { Store } from '../../src/store/store.js'
import { builtWorker } from './build-program.js'
import { newDirectory } from './stores.js'

/** The keys that all gateways of a fleet share. */
export const fleetKeys = { vaultKey: randomBytes(32).toString('base64'), auditKey: newSigningKey() }

/** A store that is closed after the test at the latest. */
export async function newPostgresStore(
  url: string,
  options: PostgresStoreOptions = {},
  directory = newDirectory(),
): Promise<Store> {
  const worker = await builtWorker()
  const store = await openPostgresStore(url, directory, { worker, onNote: () => undefined, ...fleetKeys, ...options })
  onTestFinished(() => store.close())
  return store
}

/** Runs a statement over its own connection. */
export async function inDatabase<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client(url)
  client.on('error', () => undefined) // the statement reports the error, if the server can still answer
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Moves the expiry of pending requests closer, as if time passed. */
export const passTime = (url: string, ms: number) =>
  inDatabase(url, `UPDATE toolwire.approvals SET until = until - $1 * interval '1 millisecond' WHERE isfinite(until)`, [ms])

/** Adds allowed requests that never expire, of one caller or each of another one. */
export const fillApprovals = (url: string, count: number, caller?: string) =>
  inDatabase(
    url,
    `INSERT INTO toolwire.approvals
       (id, caller, tool, danger, call_digest, digest, held, holder, asked, expires, waits, until, state)
     SELECT 'other ' || n, coalesce($2, 'other ' || n), 'send', 3, 'other ' || n, '', false, '', '{}', 0, 1e12, 'infinity',
       'allowed'
     FROM generate_series(1, $1) n`,
    [count, caller],
  )
