import { readDatabaseFacts, serverRefusal } from '../postgres/check-server.js'
import { type Sql, withPostgres } from '../postgres/connection.js'
import { withSchemaLock } from '../postgres/schema/migrate.js'
import { StoreFailure } from '../store-failure.js'

/** Long, because a statement may have to wait for the disk. */
const patienceMs = 120_000

/** Copies all or nothing, while no gateway prepares the tables. */
export const inCopyTransaction = <T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> =>
  withPostgres(
    url,
    async (postgres) => {
      const refusal = serverRefusal(await readDatabaseFacts(postgres.sql, Date.now))
      if (refusal !== undefined) throw new StoreFailure(refusal)
      return withSchemaLock(postgres, async (sql) => {
        // While the data directory is verified, the database gets no statements.
        await sql('SET LOCAL idle_in_transaction_session_timeout = 0')
        return work(sql)
      })
    },
    patienceMs,
  )
