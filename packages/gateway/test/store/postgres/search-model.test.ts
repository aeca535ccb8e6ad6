// Compares searches in the database with a list in memory.
import fc from 'fast-check'
import type { AuditOutcome, AuditRecord } from 'toolwire/guard'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { howMany } from '../../../../toolwire/test/soak.js'
import type { AuditCall, AuditPage, AuditQuery } from '../../../src/store/audit/audit-query.js'
import { searchCalls } from '../../../src/store/postgres/audit/search-calls.js'
import { withPostgres } from '../../../src/store/postgres/connection.js'
import { appendTo, createTables, startReplica } from '../../support/postgres-audit.js'
import { intentOf, outcomeOf } from '../../support/stores.js'

type Replica = Awaited<ReturnType<typeof startReplica>>
let server: PostgresServer
let url: string
let replicas: readonly Replica[] = []
const model: AuditCall[] = []
const names = ['eve', 'bob', 'a"\\%_', 'Ünï'] as const
const endings = ['ok', 'error', 'refused', 'failed'] as const

beforeAll(async () => {
  if (!postgresFound) return
  server = await postgresServer()
  url = await server.database()
  await createTables(url)
  replicas = await Promise.all([1, 2, 3].map(() => startReplica(url)))
  for (let n = 0; n < 300; n++) await makeCall(n)
})
afterAll(async () => {
  for (const replica of replicas) await replica.close()
  await server?.close()
})

/** The clocks of the replicas are an hour apart. */
async function makeCall(n: number): Promise<void> {
  const nth = (n * 7) % 3
  const replica = replicas[nth]!
  const at = 1_000_000 + n * 10 + nth * 3_600_000
  const about = {
    at,
    caller: names[n % 4]!,
    tool: `tool ${(n * 5) % 7}`,
    ...(n % 3 ? { server: names[(n * 3) % 4]! } : { server: 'mail' }),
  }
  const intent = intentOf(n, about)
  const outcome = endings[n % 5]
  const decision = outcome === 'refused' ? 'refused' : 'allowed'
  const records: AuditRecord[] = [intent]
  if (outcome) records.push(outcomeOf(n, { ...about, outcome: outcome as AuditOutcome['outcome'], decision }))
  await appendTo(replica, ...records)
  const { calls } = await replicas[0]!.audit.search({ limit: 1 })
  const { sequence, ended } = calls[0]!
  model.unshift({
    ...{ sequence, stream: replica.stream, call: intent.id, at, caller: intent.caller, server: about.server, tool: intent.tool },
    ...(outcome && { ended: ended!, durationMs: 1.5, decision, outcome }),
  })
}

const query = fc.record(
  {
    caller: fc.constantFrom(...names, 'nobody'),
    server: fc.constantFrom(...names, 'mail'),
    tool: fc.integer({ min: 0, max: 8 }).map((n) => `tool ${n}`),
    outcome: fc.constantFrom(...endings, 'open' as const),
    decision: fc.constantFrom('allowed' as const, 'refused' as const),
    from: fc.integer({ min: 990_000, max: 8_300_000 }),
    to: fc.integer({ min: 990_000, max: 8_300_000 }),
    text: fc.constantFrom('EVE', '%', 'a"\\', 'call-1', '"n":7}'),
  },
  { requiredKeys: [] },
)

function isFound(call: AuditCall, { text, from, to, ...wanted }: AuditQuery): boolean {
  const n = Number(call.call.slice(5))
  const written = JSON.stringify({ ...call, arguments: { n } }).toLowerCase()
  const escaped = JSON.stringify(text ?? '')
    .slice(1, -1)
    .toLowerCase()
  return (
    (from === undefined || call.at >= from) &&
    (to === undefined || call.at <= to) &&
    written.includes(escaped) &&
    Object.entries(wanted).every(([name, value]) => (call[name as keyof AuditCall] ?? 'open') === value)
  )
}

describe.skipIf(!postgresFound)('a search', () => {
  it('finds the same as the list, page by page, each call once and newest first', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 120 }), fc.nat({ max: 2 }), async (asked, limit, nth) => {
        const found: AuditCall[] = []
        let before: number | undefined
        do {
          const page = await replicas[nth]!.audit.search({ ...asked, limit, ...(before !== undefined && { before }) })
          expect(page.calls.length).toBeLessThanOrEqual(limit)
          found.push(...page.calls)
          before = page.before
        } while (before !== undefined)
        expect(found).toEqual(model.filter((call) => isFound(call, asked)))
      }),
      { numRuns: howMany(40, 400) },
    )
  })

  it('proceeds with each page, however slow the machine is', async () => {
    const pages: AuditPage[] = []
    await withPostgres(url, async ({ sql }) => {
      let now = performance.now()
      for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; before = pages.at(-1)?.before) {
        const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
          now += 1_000
          return now
        })
        pages.push(await searchCalls(sql, { limit: 100, before }).finally(() => clock.mockRestore()))
        if (pages.length > model.length) break
      }
    })
    expect(pages.flatMap(({ calls }) => calls)).toEqual(model)
  })

  it('gives the record and the call of each position', async () => {
    for (const call of model.slice(0, 20)) {
      expect(await replicas[1]!.audit.record(call.sequence)).toMatchObject({ record: { kind: 'intent', id: call.call }, call })
      if (call.ended !== undefined)
        expect(await replicas[2]!.audit.record(call.ended)).toMatchObject({ record: { kind: 'outcome', id: call.call }, call })
      expect(await replicas[1]!.audit.callOf(call.call)).toEqual(call)
    }
    expect(await replicas[1]!.audit.record(999_999)).toBeUndefined()
    expect(await replicas[1]!.audit.callOf('no\u0000body')).toBeUndefined()
  })

  it('returns earlier records in order, up to a limit', async () => {
    const earlier: AuditCall[] = []
    for await (const page of replicas[0]!.audit.past({ from: 0, most: 50, signal: AbortSignal.timeout(120_000) }))
      earlier.push(...page)
    expect(earlier.length).toBeGreaterThanOrEqual(50)
    expect(earlier.length).toBeLessThanOrEqual(100)
    expect(earlier).toEqual(model.slice(0, earlier.length).reverse())
  })
})
