import type { Client, Pool, PoolClient } from 'pg'
import { withDeadline } from '../../bounds/deadline.js'
import { installHint } from '../../config/settings/install-hint.js'
import { checkTlsFiles } from './check-tls-files.js'
import { isConnectionLost, postgresFailure } from './failures.js'
import { noAnswer } from './time-limit.js'

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
/** The server ends a cancelled statement at once, unless it is stopped or out of reach. */
const cancelMs = 1_000
const mostConnections = 10
/** As long as a gateway without heartbeats counts as alive, for the usual time of a statement. */
const idleStatements = 2.5

/**
 * The address for `pg`. It takes these modes for verify-full, and warns of a later version that takes them for less, so they are replaced
 * by their meaning.
 */
export const clientAddress = (url: string): string =>
  /[?&]uselibpqcompat=true(&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full')

/** Opens a pool without connecting yet. `onTrouble` is called when an idle connection breaks. */
export async function openPostgres(
  url: string,
  onTrouble: (why: Error) => void,
  connections = mostConnections,
  patienceMs = statementMs,
): Promise<Postgres> {
  const { default: pg } = await loadPostgres()
  await checkTlsFiles(new URL(url))
  const connectionString = clientAddress(url)
  const pool = new pg.Pool({
    connectionString,
    application_name: 'toolwire',
    max: connections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    keepAlive: true,
  })
  // A pool or a client without a listener ends the process when the server goes away.
  pool.on('error', onTrouble)
  const causes = new WeakMap<PoolClient, Error>()
  // The first error names the cause; later ones only say that the connection is gone.
  const note = (client: PoolClient, why: Error) => void causes.set(client, causes.get(client) ?? why)
  pool.on('connect', (client) => client.on('error', (why) => note(client, why)))
  const lending: Lending = {
    pool,
    patienceMs,
    causeOf: (client) => causes.get(client),
    cancel: (client) => cancelStatement(new pg.Client({ connectionString, connectionTimeoutMillis: cancelMs }), client),
  }
  return {
    sql: (text, values) => withClient(lending, (sql) => sql(text, values)),
    transaction: (work) => inTransaction(lending, work),
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

type Lending = {
  readonly pool: Pool
  readonly patienceMs: number
  /** The error that ended the connection of a client. */
  readonly causeOf: (client: PoolClient) => Error | undefined
  readonly cancel: (client: PoolClient) => Promise<void>
}

/**
 * Runs work over one connection of the pool. A statement that takes too long is cancelled, and its connection is not lent before it has
 * ended, because the server would run more statements than the pools have connections.
 */
async function withClient<T>(
  { pool, patienceMs, causeOf, cancel }: Lending,
  work: (sql: Sql, onBroken: (why: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await withPostgresFailure(pool.connect())
  let broken: Error | undefined
  const noted = (why: Error) => {
    broken ??= why
  }
  const sql: Sql = async (text, values) => {
    const query = client.query(text, [...(values ?? [])])
    const end = query.then(
      () => true,
      () => true,
    )
    const isWithin = (ms: number, ended: Promise<boolean>) => withDeadline(ms, ended, () => false)
    if (await isWithin(patienceMs, end)) return (await withPostgresFailure(query)).rows
    const cancelled = Promise.all([cancel(client), end]).then(() => true)
    // Even if it has succeeded meanwhile, its changes may not be on all machines of the database.
    throw noAnswer(patienceMs, (await isWithin(cancelMs, cancelled)) ? 'POSTGRES_SILENT' : 'POSTGRES')
  }
  try {
    return await work(sql, noted)
  } catch (thrown) {
    // After a connection has ended, its errors no longer name the cause.
    const cause = broken ?? causeOf(client)
    const failure = cause && isConnectionLost(thrown) ? postgresFailure(cause) : thrown
    if (isConnectionLost(failure)) broken = failure
    throw failure
  } finally {
    client.release(broken ?? causeOf(client))
  }
}

function inTransaction<T>(lending: Lending, work: (sql: Sql) => Promise<T>): Promise<T> {
  // Otherwise, the locks of a gateway that is frozen, or whose machine has failed, would stop all other gateways.
  const idleMs = Math.ceil(lending.patienceMs * idleStatements)
  return withClient(lending, async (sql, onBroken) => {
    try {
      await sql(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`)
      const done = await work(sql)
      await sql('COMMIT')
      return done
    } catch (thrown) {
      // A connection that does not answer is sent nothing more, and one that cannot even roll back is not used again.
      if (!isConnectionLost(thrown)) await sql('ROLLBACK').catch(onBroken)
      throw thrown
    }
  })
}

/** Members of a client that are missing in the types. */
type ClientInternals = {
  readonly processID: number
  readonly secretKey: unknown
  readonly connection: { startup: () => void; readonly cancel: (processID: number, secretKey: unknown) => void }
}

/** Asks the server to end the statement of a client. A pooler passes the request on while the client is connected. */
async function cancelStatement(canceller: Client, client: PoolClient): Promise<void> {
  const { processID, secretKey } = client as unknown as ClientInternals
  const { connection } = canceller as unknown as ClientInternals
  // The request takes the place of the login, and the server closes the connection without an answer.
  connection.startup = () => connection.cancel(processID, secretKey)
  canceller.on('error', () => undefined)
  await canceller.connect().catch(() => undefined)
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
