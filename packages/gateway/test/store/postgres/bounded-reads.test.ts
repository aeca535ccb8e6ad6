// Reads of a long log touch only the relevant records, not those of all days.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import type { AuditQuery } from '../../../src/store/audit/audit-query.js'
import { makePastPartition } from '../../../src/store/postgres/audit/partitions.js'
import { searchCalls } from '../../../src/store/postgres/audit/search-calls.js'
import { callSpan, callsAfter } from '../../../src/store/postgres/audit/stored-records.js'
import { openPostgres, type Postgres, type Sql } from '../../../src/store/postgres/connection.js'
import { createTables } from '../../support/postgres-audit.js'

const days = 10
const callsEachDay = 4_000
const calls = days * callsEachDay
const lastPosition = 2 * calls
const window = 20_000

type Statement = { readonly text: string; readonly values: readonly unknown[] }
type Plan = { readonly [name: string]: unknown; readonly Plans?: readonly Plan[] }

describe.skipIf(!postgresFound)('a read of a long log', () => {
  let server: PostgresServer
  let postgres: Postgres
  beforeAll(async () => {
    server = await postgresServer()
    const url = await server.database()
    await createTables(url)
    postgres = await openPostgres(url, () => undefined, 1, 60_000)
    await fillLog(postgres.sql)
  })
  afterAll(async () => {
    await postgres?.close()
    await server?.close()
  })

  /** The statements of this work that read calls. */
  async function statementsOf(work: (sql: Sql) => Promise<unknown>): Promise<Statement[]> {
    const statements: Statement[] = []
    await work((text, values = []) => {
      statements.push({ text, values })
      return postgres.sql(text, values)
    })
    return statements.filter(({ text }) => text.includes('toolwire.calls c') || text.includes('at >= $1'))
  }

  /** Searches to the end of the log, because one search has a time limit. */
  async function everyPage(sql: Sql, query: AuditQuery): Promise<void> {
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; )
      before = (await searchCalls(sql, { ...query, before })).before
  }

  /** The number of rows of these tables that a statement reads. */
  async function rowsRead({ text, values }: Statement, tables: RegExp): Promise<number> {
    const [found] = await postgres.sql<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      values,
    )
    return readBy(found!['QUERY PLAN'][0]!.Plan, tables)
  }

  it('for a text reads the records of the found calls, in windows of a limited size', async () => {
    const statements = await statementsOf((sql) => everyPage(sql, { caller: 'ada', text: 'no record has it' }))
    expect(statements.length).toBeGreaterThan(1)
    for (const statement of statements) {
      const [bottom, top] = statement.values as [number, number]
      expect(top - bottom).toBeLessThan(window)
      expect(await rowsRead(statement, /^audit_/)).toBeLessThan(100)
    }
  })

  it('for only a text reads each record of its window once', async () => {
    const [statement] = await statementsOf((sql) => searchCalls(sql, { text: 'no record has it' }))
    expect(await rowsRead(statement!, /^audit_/)).toBeLessThanOrEqual(window)
  })

  it.each([
    ['a decision', { decision: 'refused' }],
    ['an outcome', { outcome: 'ok' }],
    ['calls that have not ended', { outcome: 'open' }],
  ])('for %s reads the ends of its window', async (_, query) => {
    const [statement] = await statementsOf((sql) => searchCalls(sql, query as never))
    expect(await rowsRead(statement!, /^call_ends_/)).toBeLessThanOrEqual(window)
  })

  it('for the page after a position reads the ends of later calls', async () => {
    const left = 2_000
    const [statement] = await statementsOf((sql) => callsAfter(sql, lastPosition - left, 1_000))
    expect(await rowsRead(statement!, /^call_ends_/)).toBeLessThanOrEqual(left)
  })

  it('for the first position since a time reads the calls since then', async () => {
    const left = 1_000
    const statements = await statementsOf((sql) => callSpan(sql, calls - left + 1))
    expect(await rowsRead(statements[0]!, /^calls_/)).toBeLessThanOrEqual(left + days)
  })
})

/** Ends with today. Each call has two records at the same millisecond. */
async function fillLog(sql: Sql): Promise<void> {
  const dayOf = (at: number) => new Date(Date.now() - (days - 1 - at) * 86_400_000).toISOString().slice(0, 10)
  for (let at = 0; at < days; at++) await makePastPartition(sql, dayOf(at))
  const day = `$2::date + ((n - 1) / ${callsEachDay})::int`
  const from = `FROM generate_series(1, ${calls}) AS n`
  const given = [randomUUID(), dayOf(0)]
  await sql(
    `INSERT INTO toolwire.calls (day, position, stream, sequence, call, at, caller, server, tool)
     SELECT ${day}, 2 * n - 1, $1::uuid, 2 * n - 1, 'call-' || n, n, CASE WHEN n % 1000 = 0 THEN 'ada' ELSE 'eve' END, 'mail', 'send' ${from}`,
    given,
  )
  await sql(
    `INSERT INTO toolwire.call_ends (day, position, begun, stream, sequence, duration, decision, outcome)
     SELECT ${day}, 2 * n, 2 * n - 1, $1::uuid, 2 * n, 1, 'allowed', 'ok' ${from}`,
    given,
  )
  await sql(
    `INSERT INTO toolwire.audit (day, stream, sequence, position, hash, text)
     SELECT ${day}, $1::uuid, 2 * n - half, 2 * n - half, '\\x00', 'record ' || n ${from}, (VALUES (0), (1)) AS halves (half)`,
    given,
  )
  await sql('ANALYZE toolwire.audit, toolwire.calls, toolwire.call_ends')
}

function readBy(plan: Plan, tables: RegExp): number {
  const read = tables.test(String(plan['Relation Name'] ?? ''))
    ? Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0)
    : 0
  return read * Number(plan['Actual Loops']) + (plan.Plans ?? []).reduce((sum, part) => sum + readBy(part, tables), 0)
}
