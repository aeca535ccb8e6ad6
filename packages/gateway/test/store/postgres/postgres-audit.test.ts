// Several gateways write one audit log.
import { verifyAudit } from 'toolwire/guard'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { makePastPartition } from '../../../src/store/postgres/audit/partitions.js'
import { changingDays } from '../../../src/store/postgres/audit/stream-end.js'
import type { Postgres } from '../../../src/store/postgres/connection.js'
import { schemaParts } from '../../../src/store/postgres/schema/store-tables.js'
import { StoreFailure } from '../../../src/store/store-failure.js'
import { passDays } from '../../support/old-days.js'
import { appendTo, createTables, newReplica, type Replica } from '../../support/postgres-audit.js'
import { intentOf, outcomeOf } from '../../support/stores.js'
import { auditSuite } from '../audit-suite.js'

let server: PostgresServer
beforeAll(async () => {
  if (postgresFound) server = await postgresServer()
})
afterAll(() => server?.close())

const calls = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => [intentOf(from + n), outcomeOf(from + n)]).flat()

async function replicas(count: number): Promise<Replica[]> {
  const url = await server.database()
  await createTables(url)
  return Promise.all(Array.from({ length: count }, () => newReplica(url)))
}

/** The positions of the records after this one, up to a number of them. */
async function followed({ audit }: Replica, after: number, most: number): Promise<number[]> {
  const stop = new AbortController()
  const sequences: number[] = []
  for await (const entries of audit.follow(after, stop.signal)) {
    sequences.push(...entries.map(({ sequence }) => sequence))
    if (sequences.length >= most) stop.abort()
  }
  return sequences
}

/** Counts the locks of each statement that adds records. */
const countingLocks =
  (locks: number[]) =>
  (postgres: Postgres): Postgres => ({
    ...postgres,
    sql: (text, values) =>
      text.includes('INSERT INTO toolwire.audit ')
        ? postgres.transaction(async (sql) => {
            const rows = await sql<never>(text, values)
            const [found] = await sql<{ count: number }>(
              'SELECT count(*)::int AS count FROM pg_locks WHERE pid = pg_backend_pid()',
            )
            locks.push(found!.count)
            return rows
          })
        : postgres.sql(text, values),
  })

async function exported({ audit }: Replica, format: 'ndjson' | 'csv'): Promise<string> {
  let text = ''
  for await (const piece of audit.export(format)) text += piece
  return text
}

if (postgresFound)
  auditSuite('in PostgreSQL', async () => {
    const [one] = await replicas(1)
    return one!
  })

describe.skipIf(!postgresFound)('a log of several gateways', () => {
  it('has a chain for each start of each gateway, and verifies as a whole from any of them', async () => {
    const all = await replicas(3)
    await Promise.all(all.map((replica, nth) => appendTo(replica, ...calls(nth * 100, nth * 100 + 49))))
    for (const { audit } of all) {
      await audit.checkpoint()
      expect(audit.sequence).toBe(100)
      expect(await audit.verify()).toMatchObject({ ok: true, entries: 300, streams: 3 })
    }
    expect((await all[0]!.audit.search({ limit: 1_000 })).calls).toHaveLength(150)
    expect(all.flatMap(({ troubles }) => troubles)).toEqual([])
  })

  it('proves nothing without any record', async () => {
    const [one] = await replicas(1)
    expect(await one!.audit.verify()).toMatchObject({ ok: false, empty: true, why: expect.stringContaining('proves nothing') })
  })

  it('verifies at any moment, while all gateways write', async () => {
    const all = await replicas(3)
    const progress: number[] = []
    const write = (n: number) =>
      Promise.all(all.map((replica, nth) => appendTo(replica, ...calls(nth * 1_000 + n * 30, nth * 1_000 + n * 30 + 29))))
    await write(0) // an empty log proves nothing
    let isOver = false
    const verifying = (async () => {
      const verdicts = []
      while (!isOver) verdicts.push(await all[0]!.audit.verify({ onProgress: (entries) => progress.push(entries) }))
      return verdicts
    })()
    for (let n = 1; n < 20; n++) await write(n)
    isOver = true
    const verdicts = await verifying
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([])
    expect(verdicts.length).toBeGreaterThan(1)
    expect(await all[1]!.audit.verify()).toMatchObject({ ok: true, entries: 3_600, streams: 3 })
    expect(progress.length).toBeGreaterThan(1)
  })

  it('is exported stream by stream, and each verifies alone', async () => {
    const all = await replicas(2)
    await Promise.all(all.map((replica, nth) => appendTo(replica, ...calls(nth * 100, nth * 100 + 9))))
    await all[0]!.audit.checkpoint()
    const lines = (await exported(all[0]!, 'ndjson')).trimEnd().split('\n')
    const streams = new Map<string, string[]>()
    for (const line of lines) {
      const { stream, checkpoint } = JSON.parse(line)
      if (stream) streams.set(stream, [])
      else if (!checkpoint) [...streams.values()].at(-1)?.push(line)
    }
    expect([...streams.keys()].sort()).toEqual(all.map(({ stream }) => stream).sort())
    for (const [, entries] of streams) expect(await verifyAudit(entries)).toMatchObject({ ok: true, entries: 20 })
    expect((await exported(all[1]!, 'csv')).trimEnd().split('\r\n')).toHaveLength(21)
  })

  it('keeps names that PostgreSQL cannot store or index', async () => {
    const [one] = await replicas(1)
    const odd = 'a\u0000b\ud800"\\%_'
    const long = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000))).join('')
    await appendTo(one!, intentOf(1, { caller: odd, tool: long, server: long }), outcomeOf(1, { caller: odd, tool: long }))
    await appendTo(one!, intentOf(2, { at: Number.NaN }), outcomeOf(2, { durationMs: Number.NaN }))
    expect((await one!.audit.search({ caller: odd })).calls).toHaveLength(1)
    const [found] = (await one!.audit.search({ tool: long, server: long, text: 'A\u0000b' })).calls
    expect(found).toMatchObject({ tool: long, outcome: 'ok', stream: one!.stream })
    const record = await one!.audit.record(found!.ended!)
    expect(record).toMatchObject({ record: { kind: 'outcome', caller: odd, tool: long }, call: { call: 'call-1' } })
    expect(await one!.audit.verify()).toMatchObject({ ok: true, entries: 4 })
  })

  it('is followed by any gateway: every record of every stream once, in the order of its stream', async () => {
    const [one, two, three] = (await replicas(3)) as [Replica, Replica, Replica]
    await appendTo(one, ...calls(1, 5))
    const stop = new AbortController()
    const sequencesByStream = new Map<string, number[]>()
    const following = (async () => {
      const { pages } = await two.audit.followNew(stop.signal)
      for await (const entries of pages)
        for (const { text, ...entry } of entries) {
          const { stream } = entry as typeof entry & { stream: string }
          sequencesByStream.set(stream, [...(sequencesByStream.get(stream) ?? []), JSON.parse(text).sequence])
        }
    })()
    await expect
      .poll(async () => {
        await appendTo(two, intentOf(9_999))
        return sequencesByStream.size
      })
      .toBe(1)
    const others = [one, three].map((replica, nth) => appendTo(replica, ...calls(1_000 * nth, 1_000 * nth + 299)))
    await Promise.all(others)
    await expect.poll(() => [one, three].map(({ stream }) => sequencesByStream.get(stream)?.length)).toEqual([600, 600])
    stop.abort()
    await following
    expect(sequencesByStream.get(one.stream)).toEqual(Array.from({ length: 600 }, (_, n) => 11 + n))
    expect(sequencesByStream.get(three.stream)).toEqual(Array.from({ length: 600 }, (_, n) => 1 + n))
  })

  it('is followed in the order of positions, so that a reader continues after any of them', async () => {
    const [one, two] = (await replicas(2)) as [Replica, Replica]
    const hour = 3_600_000
    const written = (n: number, at: number) => [intentOf(n, { at }), outcomeOf(n, { at })]
    await appendTo(two, ...written(1, hour))
    await appendTo(two, ...written(2, 3 * hour))
    await appendTo(one, ...Array.from({ length: 300 }, (_, n) => written(10 + n, 3 * hour)).flat())
    await appendTo(two, ...written(3, 4 * hour))
    const positions = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)
    const begun = await followed(two, 0, 100)
    expect(begun).toEqual(positions(1, begun.length))
    const more = await followed(one, begun.at(-1)!, 606 - begun.length)
    expect(new Set([...begun, ...more])).toEqual(new Set(positions(1, 606)))
    // Slightly earlier records of another stream may have been committed meanwhile.
    expect(await followed(one, 5, 604)).toEqual([...positions(2, 4), ...positions(6, 606)])
  })

  it('is followed from days ago, even if a query fails meanwhile', async () => {
    const url = await server.database()
    await createTables(url)
    const two = await newReplica(url)
    await appendTo(two, ...calls(1, 5))
    await passDays(two.postgres, 5)
    let failures = 0
    const one = await newReplica(url, (postgres) => ({
      ...postgres,
      async sql(text, values) {
        if (text.includes('ORDER BY a.sequence') && failures++ === 0) throw new StoreFailure('away', 'POSTGRES_ECONNRESET')
        return postgres.sql(text, values)
      },
    }))
    expect(await followed(one, 0, 10)).toHaveLength(10)
    expect(failures).toBeGreaterThan(1)
  })

  it('is followed without a query for each earlier start, and not after the reader has left', async () => {
    const url = await server.database()
    await createTables(url)
    let asked = 0
    const reader = new AbortController()
    let isLeaving = false
    const one = await newReplica(url, (postgres) => ({
      ...postgres,
      sql(text, values) {
        asked++
        if (isLeaving && text.includes('a.position >')) reader.abort()
        return postgres.sql(text, values)
      },
    }))
    await appendTo(one, ...calls(1, 1))
    /** Adds streams of other starts, with one record each. */
    const addStreams = (position: string) =>
      one.postgres.sql(
        `WITH ends AS (SELECT gen_random_uuid() AS stream, (clock_timestamp() AT TIME ZONE 'UTC')::date AS day FROM generate_series(1, 100)),
           added AS (INSERT INTO toolwire.audit SELECT day, stream, 1, ${position}, '\\x00', '{"at":1}' FROM ends)
         INSERT INTO toolwire.audit_streams SELECT stream, 1, '\\x00', '\\x00', day, clock_timestamp() FROM ends`,
      )
    await addStreams('0')
    await appendTo(one, ...calls(2, 2))
    asked = 0
    expect(await followed(one, 1, 3)).toEqual([2, 3, 4])
    expect(asked).toBeLessThan(30)
    await addStreams(`nextval('toolwire.audit_position')`)
    isLeaving = true
    asked = 0
    for await (const _ of one.audit.follow(1, reader.signal)) throw new Error('the reader has left')
    expect(asked).toBeLessThan(30)
  })

  it('finds the streams with possible changes by an index, once all streams were handled', async () => {
    const url = await server.database()
    await createTables(url)
    const { postgres } = await newReplica(url)
    for (const { migrations } of schemaParts.filter(({ name }) => name === 'audit'))
      for (const { statements } of migrations.slice(1)) for (const statement of statements) await postgres.sql(statement)
    const days = changingDays()
    const condition = () => days.read(async (text) => text)
    expect([await condition(), await condition()]).toEqual(['true', 'true'])
    days.handled()
    const changing = await condition()
    const plan = await postgres.transaction(async (sql) => {
      // Otherwise PostgreSQL would scan such small tables.
      await sql('SET LOCAL enable_seqscan = off')
      return sql(`EXPLAIN SELECT s.stream FROM toolwire.audit_streams s WHERE ${changing}`)
    })
    expect(JSON.stringify(plan)).toContain('Index Cond: (day >= ')
  })

  it('adds records without locks on the tables of other days, and finds calls that another start has begun', async () => {
    const url = await server.database()
    await createTables(url)
    const locks: number[] = []
    const [one, two] = await Promise.all([newReplica(url, countingLocks(locks)), newReplica(url)])
    await appendTo(two, intentOf(7))
    await appendTo(one, ...calls(1, 1))
    await appendTo(one, ...calls(2, 2))
    await appendTo(one, outcomeOf(7))
    const usual = Math.max(...locks.splice(0))
    for (let day = 1; day <= 30; day++)
      await makePastPartition(one.postgres.sql, new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 10))
    await appendTo(one, ...calls(3, 3))
    await appendTo(two, intentOf(8))
    await appendTo(one, outcomeOf(8))
    expect(locks.length).toBeGreaterThan(1)
    expect(Math.max(...locks)).toBe(usual)
    const { calls: found } = await two.audit.search({ outcome: 'ok' })
    expect(found.map(({ call }) => call)).toEqual(['call-8', 'call-3', 'call-2', 'call-1', 'call-7'])
  })

  it('has heads for a witness: the signed checkpoints of any gateway', async () => {
    const [one, two] = (await replicas(2)) as [Replica, Replica]
    const heads = []
    for (let n = 1; n <= 4; n++) {
      const replica = n % 2 ? one : two
      await appendTo(replica, ...calls(n, n))
      await replica.audit.quiet()
      heads.push(replica.audit.signHead()!)
    }
    expect(heads.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
    for (const head of heads) expect(await two.audit.verify({ head })).toMatchObject({ ok: true })
    expect(await two.audit.checkWitnessed(heads)).toEqual({ ok: true, heads: 4, dropped: 0 })
    await one.postgres.sql('DELETE FROM toolwire.audit_checkpoints WHERE number > 2')
    expect(await two.audit.checkWitnessed(heads)).toMatchObject({ ok: false, sequence: 3 })
    expect(await two.audit.verify({ head: heads[3]! })).toMatchObject({ ok: false, sequence: 3 })
  })

  it('signs each end once, even if another gateway has signed it meanwhile', async () => {
    const url = await server.database()
    await createTables(url)
    let answer: (() => void) | undefined
    const one = await newReplica(url, (postgres) => ({
      ...postgres,
      async sql(text, values) {
        const rows = await postgres.sql<never>(text, values)
        if (text.includes('LEFT JOIN toolwire.audit_heads') && rows.length > 0)
          await new Promise<void>((resolve) => {
            answer = resolve
          })
        return rows
      },
    }))
    await appendTo(one, ...calls(1, 5))
    const signing = one.audit.checkpoint()
    await expect.poll(() => answer).toBeDefined()
    const two = await newReplica(url)
    await two.audit.checkpoint()
    const witnessed = one.audit.checkWitnessed([])
    // Time enough to read the checkpoint too early.
    for (let n = 0; n < 50; n++) await one.postgres.sql('SELECT 1')
    answer?.()
    await signing
    expect(await witnessed).toMatchObject({ ok: true })
    expect(await two.audit.verify()).toMatchObject({ ok: true, entries: 10 })
    expect(one.troubles).toEqual([])
  })

  it('signs checkpoints by itself after changes only', async () => {
    const [one, two] = (await replicas(2)) as [Replica, Replica]
    await appendTo(one, ...calls(1, 1))
    await expect.poll(() => [one.audit.head?.sequence, two.audit.head?.sequence]).toEqual([1, 1])
    await two.audit.checkpoint()
    expect(two.audit.head?.sequence).toBe(1)
  })
})
