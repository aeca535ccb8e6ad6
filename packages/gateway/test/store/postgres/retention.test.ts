// Retention drops whole days, and the remaining log verifies.
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { retentionSchedule } from '../../../src/store/audit/retention.js'
import { headAt } from '../../../src/store/postgres/audit/checkpoint.js'
import { logBeginning } from '../../../src/store/postgres/audit/checkpoint-heads.js'
import { makePastPartition } from '../../../src/store/postgres/audit/partitions.js'
import { StoreFailure } from '../../../src/store/store-failure.js'
import { passDays } from '../../support/old-days.js'
import { appendTo, createTables, newReplica, type Replica, signer } from '../../support/postgres-audit.js'
import { intentOf, outcomeOf } from '../../support/stores.js'

let server: PostgresServer
beforeAll(async () => {
  if (postgresFound) server = await postgresServer()
})
afterAll(() => server?.close())

/** Two replicas over three days: one writes on all of them, the other only on the first. */
async function threeDays({ bothLive = false } = {}) {
  const url = await server.database()
  await createTables(url)
  const [one, two] = (await Promise.all([newReplica(url), newReplica(url)])) as [Replica, Replica]
  const alive = bothLive ? [one.stream, two.stream] : [one.stream]
  for (let day = 0; day < 3; day++) {
    if (day > 0) await passDays(one.postgres, 1, alive)
    await appendTo(one, ...calls(day * 10, 5))
    // PostgreSQL cannot parse JSON with this argument.
    if (day === 0) await appendTo(two, ...calls(100, 4), outcomeOf(104), intentOf(104, { arguments: { text: 'a\0b' } }))
    await one.audit.checkpoint()
  }
  await passDays(one.postgres, 10, alive)
  await appendTo(one, ...calls(50, 5))
  await one.audit.checkpoint()
  return { one, two, url }
}

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const calls = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => [intentOf(from + n), outcomeOf(from + n)]).flat()

type TestReplica = Awaited<ReturnType<typeof newReplica>>

/** Tables of forty days, with calls of the first replica in three of them. */
async function writeLongAgo(one: TestReplica, two: TestReplica): Promise<void> {
  for (let age = 40; age > 5; age--) await makePastPartition(two.postgres.sql, dayBefore(age))
  for (const days of [20, 10, 5]) {
    await appendTo(one, ...calls(days * 10, 2))
    await one.audit.checkpoint()
    await passDays(two.postgres, days, [one.stream, two.stream])
  }
}

/** The last dropped checkpoint. */
const lastDropped = async ({ postgres }: Pick<TestReplica, 'postgres'>) =>
  headAt((await logBeginning(postgres.sql, signer))?.checkpoint)

describe.skipIf(!postgresFound)('retention by days', () => {
  it('drops older days, leaves a log that verifies from its beginning, and continues to drop', async () => {
    const { one, two, url } = await threeDays()
    const heads = [one.audit.signHead()!]
    expect(await one.audit.verify()).toMatchObject({ ok: true, entries: 50 })
    expect(await one.audit.retain({ days: 30 })).toBe(0)
    expect(await one.audit.retain({ days: 11 })).toBe(20)
    expect(await one.audit.verify()).toMatchObject({ ok: true, entries: 30 })
    expect(await two.audit.verify()).toMatchObject({ ok: false, stream: two.stream, sequence: 1 })
    heads.push(one.audit.signHead()!)
    expect(await lastDropped(one)).toMatchObject({ sequence: 1 })
    expect(await one.audit.retain({ days: 11 })).toBe(0)
    expect(await one.audit.retain({ days: 10 })).toBe(10)
    await appendTo(one, ...calls(60, 1))
    await one.audit.checkpoint()
    const fresh = await newReplica(url)
    expect(await fresh.audit.verify()).toMatchObject({ ok: true, entries: 22, streams: 1 })
    const { sequence, hash } = (await lastDropped(fresh))!
    expect(await fresh.audit.verify({ head: { sequence, hash } })).toMatchObject({ ok: true })
    expect(await fresh.audit.verify({ head: { sequence, hash: '0'.repeat(64) } })).toMatchObject({ ok: false, sequence })
    expect(await fresh.audit.checkWitnessed(heads)).toEqual({ ok: true, heads: 2, dropped: 0 })
    expect((await fresh.audit.search({ limit: 100 })).calls).toHaveLength(11)
    const tables = await one.postgres.sql(
      `SELECT c.relname AS name FROM pg_class c WHERE c.relname ~ '^(audit|calls|call_ends)_\\d{8}$' AND right(c.relname, 8) <
         to_char((clock_timestamp() AT TIME ZONE 'UTC')::date - 10, 'YYYYMMDD')`,
    )
    expect(tables).toEqual([])
  })

  it('keeps the end of a stream whose replica is running, even after all its records were dropped', async () => {
    const { one, two, url } = await threeDays({ bothLive: true })
    await passDays(one.postgres, 20, [two.stream])
    expect(await one.audit.retain({ days: 5 })).toBe(50)
    await appendTo(two, ...calls(200, 1))
    await two.audit.checkpoint()
    const fresh = await newReplica(url)
    expect(await fresh.audit.verify()).toMatchObject({ ok: true, entries: 2, streams: 1 })
    expect(JSON.parse((await fresh.audit.record((await fresh.audit.search({})).calls[0]!.sequence))!.entry.text)).toMatchObject({
      sequence: 11,
    })
  })

  it('drops neither changed records nor those under a wrong day', async () => {
    for (const how of [
      `UPDATE toolwire.audit SET text = replace(text, 'eve', 'ada') WHERE sequence = 3`,
      'DELETE FROM toolwire.audit WHERE sequence = 2',
      `UPDATE toolwire.audit SET day = (SELECT min(day) FROM toolwire.audit) WHERE sequence = 35`,
      'DELETE FROM toolwire.audit_checkpoints WHERE number = 1',
    ]) {
      const { one } = await threeDays()
      const [before] = await one.postgres.sql('SELECT count(*) FROM toolwire.audit')
      await one.postgres.sql(how)
      await expect(one.audit.retain({ days: 5 }), how).rejects.toThrow(/record|Checkpoint/i)
      const [after] = await one.postgres.sql('SELECT count(*) FROM toolwire.audit')
      expect(Number((after as { count: string }).count)).toBeGreaterThanOrEqual(Number((before as { count: string }).count) - 2)
      // The day is not part of the signed log.
      expect(await one.audit.verify()).toMatchObject({ ok: how.includes('SET day') })
    }
  })

  it('fails an export whose records it has dropped', async () => {
    const { one } = await threeDays()
    for (const format of ['ndjson', 'csv'] as const) {
      const pieces = one.audit.export(format)
      await pieces.next()
      expect(await one.audit.retain({ days: format === 'csv' ? 10 : 11 })).toBeGreaterThan(0)
      const rest = async () => {
        for await (const _ of pieces);
      }
      await expect(rest(), format).rejects.toThrow(/Export it again/)
    }
  })

  it('rejects a limit by number, and names the setting to use instead', async () => {
    const { one } = await threeDays()
    await expect(one.audit.retain({ records: 10 })).rejects.toThrow(/retention\.days/)
  })

  it('drops a long log in steps while others write checkpoints all the time', async () => {
    const url = await server.database()
    await createTables(url)
    const two = await newReplica(url)
    let written = 0
    const one = await newReplica(url, (postgres) => ({
      ...postgres,
      async transaction(work) {
        await appendTo(two, intentOf(1_000 + written++))
        await two.audit.checkpoint()
        return postgres.transaction(work)
      },
    }))
    await writeLongAgo(one, two)
    const before = written
    expect(await one.audit.retain({ days: 6 })).toBe(8)
    expect(written - before).toBe(5)
    expect(await two.audit.verify()).toMatchObject({ ok: true, entries: 4 + written, streams: 2 })
  })

  it('continues after each failure until all days are dropped', async () => {
    const url = await server.database()
    await createTables(url)
    const two = await newReplica(url)
    let tried = 0
    const one = await newReplica(url, (postgres) => ({
      ...postgres,
      async transaction(work) {
        if (tried++ % 2 > 0) throw new StoreFailure('lock', 'POSTGRES_55P03')
        return postgres.transaction(work)
      },
    }))
    await writeLongAgo(one, two)
    expect(await one.audit.retain({ days: 6 })).toBe(8)
    expect(tried).toBe(9)
  })

  it('tries again after deadlocks with a replica that drops days at the same time, but not for ever', async () => {
    const url = await server.database()
    await createTables(url)
    const two = await newReplica(url)
    let deadlocks = Number.POSITIVE_INFINITY
    const one = await newReplica(url, (postgres) => ({
      ...postgres,
      async sql(text, values) {
        if (text.includes('encode(a.hash') && deadlocks-- > 0) throw new StoreFailure('deadlock detected', 'POSTGRES_40P01')
        return postgres.sql(text, values)
      },
    }))
    await writeLongAgo(one, two)
    await expect(one.audit.retain({ days: 6 })).rejects.toThrow('deadlock detected')
    deadlocks = 2
    expect(await one.audit.retain({ days: 6 })).toBe(8)
    expect(deadlocks).toBeLessThan(0)
  })

  it('does not disturb a simultaneous verification, in any number of steps', async () => {
    const url = await server.database()
    await createTables(url)
    let steps = 0
    const one = await newReplica(url, (postgres) => ({
      ...postgres,
      async sql(text, values) {
        if (text.startsWith('SELECT max(number)')) return [{ number: Math.min(++steps, 20) }] as never
        if (text.includes('FROM toolwire.audit_heads') && steps < 20) return [{ stream: '-', sequence: 1 }] as never
        return postgres.sql(text, values)
      },
    }))
    await appendTo(one, ...calls(1, 2))
    await one.audit.checkpoint()
    expect(await one.audit.verify()).toMatchObject({ ok: true, entries: 4 })
  })

  it('reports why nothing was dropped, unless the store reports it', async () => {
    const reported: string[] = []
    const failures = [
      ...[new StoreFailure('lock', 'POSTGRES_55P03'), new StoreFailure('away', 'POSTGRES_ECONNREFUSED')],
      ...[new StoreFailure('timeout', 'POSTGRES'), new StoreFailure('locks', 'POSTGRES_53200')],
      ...[new StoreFailure('full', 'SQLITE_FULL'), new Error('altered')],
    ]
    const schedule = retentionSchedule({ retain: () => Promise.reject(failures.shift()) }, (words) => reported.push(words))
    onTestFinished(schedule.close)
    for (let count = failures.length; count > 0; count--) schedule.use({ days: 1 })
    await setImmediate()
    expect(reported).toEqual(['lock', 'timeout', 'locks', 'altered'])
  })

  it('is done by one replica at a time', async () => {
    const { one, two } = await threeDays()
    const dropped = await Promise.all([one, two, one].map(({ audit }) => audit.retain({ days: 5 })))
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(40)
    expect(await one.audit.verify()).toMatchObject({ ok: true, entries: 10 })
  })
})
