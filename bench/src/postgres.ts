// A PostgreSQL server for this run, which counts its statements.
import pg from 'pg'
import { cpuMicrosOfAll, parentOf } from './processes.js'

export interface Database {
  readonly url: string
  /** The statements of this database so far, and the writes and CPU time of the whole server. */
  counts(): Promise<DatabaseCounts>
}

export interface DatabaseCounts {
  readonly statements: number
  readonly walBytes: number
  readonly storedBytes: number
  readonly cpuMicros: number
}

export interface DatabaseServer {
  /** Creates a database. */
  database(): Promise<Database>
  close(): Promise<void>
}

/** Starts a server; undefined if PostgreSQL is not installed. */
export async function startDatabaseServer(): Promise<DatabaseServer | undefined> {
  const { postgresFound, postgresServer } = await import('../../packages/toolwire/test/postgres-server.js')
  if (!postgresFound) return undefined
  const server = await postgresServer(['shared_preload_libraries=pg_stat_statements'])
  const admin = new pg.Client(await server.database())
  await admin.connect()
  await admin.query('CREATE EXTENSION pg_stat_statements')
  const { rows } = await admin.query('SELECT pg_backend_pid() AS backend')
  const pid = parentOf((rows as [{ backend: number }])[0].backend)
  return {
    async database() {
      const url = await server.database()
      return { url, counts: () => countsOf(admin, new URL(url).pathname.slice(1), pid) }
    },
    async close() {
      await admin.end()
      await server.close()
    },
  }
}

async function countsOf(admin: pg.Client, name: string, pid: number): Promise<DatabaseCounts> {
  const { rows } = await admin.query(
    `SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, pg_database_size($1::name) AS stored, coalesce(sum(calls), 0) AS statements
     FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid WHERE datname = $1`,
    [name],
  )
  const [{ wal, stored, statements }] = rows as [Record<'wal' | 'stored' | 'statements', string>]
  return {
    statements: Number(statements),
    walBytes: Number(wal),
    storedBytes: Number(stored),
    cpuMicros: cpuMicrosOfAll(pid),
  }
}
