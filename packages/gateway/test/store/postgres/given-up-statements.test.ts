// Statements that time out are also cancelled at the server, whose connections are limited.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pgBouncer, pgBouncerFound } from '../../../../toolwire/test/pg-bouncer.js'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { openPostgres } from '../../../src/store/postgres/connection.js'
import { StoreFailure } from '../../../src/store/store-failure.js'
import { inDatabase } from '../../support/postgres-stores.js'

const connections = 2

describe.skipIf(!postgresFound)('a statement that waits for a lock', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  /** Times out many statements that wait for one row. */
  async function giveUpMany(url: string, through: string): Promise<void> {
    await inDatabase(url, 'CREATE TABLE counter AS SELECT 0 AS n')
    const [holder, watcher] = [new pg.Client(url), new pg.Client(url)]
    for (const client of [holder, watcher]) {
      await client.connect()
      onTestFinished(() => client.end())
    }
    const postgres = await openPostgres(through, () => undefined, connections, 200)
    onTestFinished(() => postgres.close())
    const { pid } = (await postgres.sql<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!
    await holder.query('BEGIN; SELECT n FROM counter FOR UPDATE')
    const add = 'UPDATE counter SET n = n + $1'
    let hasEnded = false
    const failures: unknown[] = []
    const lanes = Array.from({ length: 6 }, async (_, lane) => {
      for (let n = 0; n < 5; n++) {
        const work = lane % 2 ? postgres.sql(add, [1]) : postgres.transaction((sql) => sql(add, [1]))
        await work.catch((thrown: unknown) => failures.push(thrown))
      }
    })
    const over = Promise.all(lanes).then(() => {
      hasEnded = true
    })
    let most = 0
    const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'toolwire'`
    while (!hasEnded) most = Math.max(most, (await watcher.query<{ count: number }>(waiting)).rows[0]!.count)
    await over
    expect(most).toBe(connections)
    expect(failures).toHaveLength(30)
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(StoreFailure)
      expect(String(failure)).toContain('PostgreSQL has not answered for 0.2 s')
    }
    // No statement is left at the server that would still change the row.
    await holder.query('COMMIT')
    expect(await postgres.sql('SELECT n FROM counter FOR UPDATE')).toEqual([{ n: 0 }])
    expect(await postgres.sql('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).toHaveLength(1)
  }

  it('is cancelled, and its connection serves the next one', async () => {
    const url = await server.database()
    await giveUpMany(url, url)
  })

  it.skipIf(!pgBouncerFound)('is cancelled through PgBouncer in transaction mode', async () => {
    const url = await server.database()
    const pooler = await pgBouncer(url)
    onTestFinished(() => pooler.close())
    await giveUpMany(url, pooler.url)
  })
})
