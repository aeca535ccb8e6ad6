// A gateway that is frozen in a transaction, or whose machine has failed, holds its locks for a limited time.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { openPostgres } from '../../../src/store/postgres/connection.js'
import { isConnectionLost } from '../../../src/store/postgres/failures.js'

describe.skipIf(!postgresFound)('a transaction', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  it('without further statements is ended by the server, so that others get its locks, and its pool recovers', async () => {
    const url = await server.database()
    const open = async (patienceMs?: number) => {
      const postgres = await openPostgres(url, () => undefined, 1, patienceMs)
      onTestFinished(() => postgres.close())
      return postgres
    }
    const [frozen, other] = [await open(1_000), await open(60_000)]
    const lock = 'SELECT pg_advisory_xact_lock(1)'
    const order: string[] = []
    const work = frozen.transaction(async (sql) => {
      await sql(lock)
      order.push('the frozen one has it')
      await other.transaction((within) => within(lock))
      order.push('the other one has it')
      await sql('SELECT 1')
      order.push('the frozen one goes on')
    })
    const thrown = await work.catch((why: unknown) => why)
    expect(order).toEqual(['the frozen one has it', 'the other one has it'])
    expect(isConnectionLost(thrown)).toBe(true)
    expect(String(thrown)).toContain('PostgreSQL ended a transaction in which this gateway was silent for too long')
    expect(await frozen.sql('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})
