// A PostgreSQL of the run's own, which counts its statements.
import pg from 'pg'

export interface Database {
  readonly url: string
  /** Statements and bytes of WAL so far, in all databases of the server. */
  counts(): Promise<{ readonly statements: number; readonly commits: number; readonly walBytes: number }>
}

export interface DatabaseServer {
  /** A new one. */
  database(): Promise<Database>
  close(): Promise<void>
}

/** Undefined where PostgreSQL is not installed. */
export async function startDatabaseServer(): Promise<DatabaseServer | undefined> {
  const { postgresFound, postgresServer } = await import('../../packages/toolwire/test/postgres-server.js')
  if (!postgresFound) return undefined
  const server = await postgresServer(['shared_preload_libraries=pg_stat_statements'])
  const admin = new pg.Client(await server.database())
  await admin.connect()
  await admin.query('CREATE EXTENSION pg_stat_statements')
  return {
    async database() {
      const url = await server.database()
      return { url, counts: () => countsOf(admin, new URL(url).pathname.slice(1)) }
    },
    async close() {
      await admin.end()
      await server.close()
    },
  }
}

async function countsOf(admin: pg.Client, name: string) {
  const { rows } = await admin.query(
    `SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, coalesce(sum(calls), 0) AS statements,
       coalesce(sum(calls) FILTER (WHERE query IN ('COMMIT', 'commit')), 0) AS commits
     FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid WHERE datname = $1`,
    [name],
  )
  const [{ wal, statements, commits }] = rows as [{ wal: string; statements: string; commits: string }]
  return { walBytes: Number(wal), statements: Number(statements), commits: Number(commits) }
}
