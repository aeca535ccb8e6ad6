import type { Pool } from 'pg'
import { installHint } from '../../config/settings/install-hint.js'
import { isConnectionLost, postgresFailure } from './failures.js'

/** Runs one statement and returns its rows. */
export type Sql = <Row extends object = object>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** Milliseconds since 1970, by the clock of the database. */
export const nowMs = '(1000 * extract(epoch FROM clock_timestamp()))::bigint::float8'

/** The time by the clock of the database, in milliseconds since 1970. */
export const clockOf = async (sql: Sql): Promise<number> => (await sql<{ now: number }>(`SELECT ${nowMs} AS now`))[0]?.now ?? 0

export type Postgres = {
  readonly sql: Sql
  /** Commits all of the work, or none of it. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Shorter than the time after which a caller learns that the database does not answer. */
export const connectMs = 3_000
const statementMs = 4_000
const mostConnections = 10
/** As long as a gateway without heartbeats counts as alive, for the usual time of a statement. */
const idleStatements = 2.5

/** Opens a pool without connecting yet. `onTrouble` is called when an idle connection breaks. */
export async function openPostgres(
  url: string,
  onTrouble: (why: Error) => void,
  connections = mostConnections,
  patienceMs = statementMs,
): Promise<Postgres> {
  const { default: pg } = await loadPostgres()
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'toolwire',
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: patienceMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    keepAlive: true,
  })
  // A pool without a listener ends the process when the server goes away.
  pool.on('error', onTrouble)
  return {
    sql: async (text, values) => (await withPostgresFailure(pool.query(text, [...(values ?? [])]))).rows,
    transaction: (work) => inTransaction(pool, work, Math.ceil(patienceMs * idleStatements)),
    close: () => pool.end(),
  }
}

/** The interface through which the library uses a database. */
export const poolOf = ({ sql }: Pick<Postgres, 'sql'>) => ({
  query: async (text: string, values?: unknown[]) => ({ rows: await sql(text, values) }),
})

/** Runs work over one connection of its own, and closes it. */
export async function withPostgres<T>(url: string, work: (postgres: Postgres) => Promise<T>, patienceMs?: number): Promise<T> {
  // The statement that needs a broken connection reports it.
  const postgres = await openPostgres(url, () => undefined, 1, patienceMs)
  try {
    return await work(postgres)
  } finally {
    await postgres.close()
  }
}

/** Without `idleMs`, the locks of a gateway that is frozen, or whose machine has failed, would stop all other gateways. */
async function inTransaction<T>(pool: Pool, work: (sql: Sql) => Promise<T>, idleMs: number): Promise<T> {
  const client = await withPostgresFailure(pool.connect())
  let broken: Error | undefined
  const noted = (why: Error) => {
    broken ??= why
  }
  client.on('error', noted)
  const sql: Sql = async (text, values) => (await withPostgresFailure(client.query(text, [...(values ?? [])]))).rows
  try {
    await sql(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`)
    const done = await work(sql)
    await sql('COMMIT')
    return done
  } catch (thrown) {
    // After a connection has ended, its errors no longer name the cause.
    const failure = broken && isConnectionLost(thrown) ? postgresFailure(broken) : thrown
    // A connection that does not answer is sent nothing more.
    if (isConnectionLost(failure)) broken = failure
    else await client.query('ROLLBACK').catch(noted)
    throw failure
  } finally {
    client.off('error', noted)
    // A connection that cannot even roll back is not used again.
    client.release(broken)
  }
}

export async function loadPostgres() {
  try {
    return await import('pg')
  } catch (cause) {
    throw new Error(`A store in PostgreSQL needs the package pg. ${installHint('pg')}.`, { cause })
  }
}

async function withPostgresFailure<T>(query: Promise<T>): Promise<T> {
  try {
    return await query
  } catch (thrown) {
    throw postgresFailure(thrown)
  }
}
