// PostgreSQL is killed while records are written.
import type { AuditRecord } from 'toolwire/guard'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { expectWithin, howMany } from '../../../../toolwire/test/soak.js'
import { StoreFailure } from '../../../src/store/store-failure.js'
import { asked } from '../../support/approval-requests.js'
import { appendTo, createTables, newReplica, type Replica } from '../../support/postgres-audit.js'
import { newPostgresStore } from '../../support/postgres-stores.js'
import { intentOf, outcomeOf } from '../../support/stores.js'

let server: PostgresServer
beforeAll(async () => {
  if (postgresFound) server = await postgresServer()
})
afterAll(() => server?.close())

const idOf = ({ id, kind }: AuditRecord): string => `${id} ${kind}`

/** Makes calls until the signal; returns the acknowledged and the failed ones. */
function caller({ audit }: Replica, name: string, stop: AbortSignal) {
  const safe: string[] = []
  const failed: unknown[] = []
  const work = async (lane: number): Promise<void> => {
    for (let n = 0; !stop.aborted; n++) {
      const id = `${name}-${lane}-${n}`
      for (const record of [intentOf(n, { id }), outcomeOf(n, { id })])
        try {
          await audit.append(record)
          safe.push(idOf(record))
        } catch (thrown) {
          failed.push(thrown)
          break
        }
    }
  }
  return { safe, failed, done: Promise.all(Array.from({ length: 8 }, (_, lane) => work(lane))) }
}

describe.skipIf(!postgresFound)('a database that is killed', () => {
  it('loses no acknowledged record, and forks no chain', async () => {
    const url = await server.database()
    await createTables(url)
    const replicas = await Promise.all([newReplica(url), newReplica(url), newReplica(url)])
    const stop = new AbortController()
    const callers = replicas.map((replica, nth) => caller(replica, `r${nth}`, stop.signal))
    for (let kill = 0; kill < howMany(3, 40); kill++) {
      const before = callers.map(({ safe }) => safe.length)
      await expect
        .poll(() => callers.every(({ safe }, nth) => safe.length > before[nth]! + 20), {
          interval: 7 + 13 * (kill % 5),
        })
        .toBe(true)
      await server.kill()
      // Some outages are longer than the timeout of a write.
      if (kill % 3 === 1) await expect.poll(() => callers.every(({ failed }) => failed.length > 0)).toBe(true)
      await server.start()
    }
    const before = callers.map(({ safe }) => safe.length)
    await expect.poll(() => callers.every(({ safe }, nth) => safe.length > before[nth]!)).toBe(true)
    stop.abort()
    await Promise.all(callers.map(({ done }) => done))
    await replicas[0]!.audit.checkpoint()
    for (const { audit } of replicas) expect(await audit.verify()).toMatchObject({ ok: true, streams: 3 })
    const rows = await replicas[0]!.postgres.sql<{ text: string }>('SELECT text FROM toolwire.audit')
    const kept = new Set(rows.map(({ text }) => idOf(JSON.parse(text))))
    expect(kept.size).toBe(rows.length)
    expect(callers.flatMap(({ safe }) => safe).filter((id) => !kept.has(id))).toEqual([])
    const found = await replicas[0]!.postgres.sql<{ wrong: number }>(
      `SELECT count(*)::int AS wrong FROM toolwire.call_ends e LEFT JOIN toolwire.calls c ON c.position = e.begun WHERE c.call IS NULL`,
    )
    expect(found).toEqual([{ wrong: 0 }])
  }, 600_000)

  it('refuses within five seconds with the reason while it is down, and recovers by itself', async () => {
    const url = await server.database()
    await createTables(url)
    const replica = await newReplica(url)
    await appendTo(replica, intentOf(1))
    await server.kill()
    const began = performance.now()
    const outcomes = await Promise.allSettled([2, 3, 4].map((n) => replica.audit.append(intentOf(n))))
    expectWithin(performance.now() - began, 5_000)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(outcomes[0]).toMatchObject({ reason: { message: expect.stringMatching(/PostgreSQL/) } })
    expect(replica.audit.trouble).toBeDefined()
    await server.start()
    await expect.poll(() => replica.audit.trouble).toBeUndefined()
    await expect.poll(() => appendTo(replica, intentOf(5)).then(() => 'safe', String)).toBe('safe')
    expect(replica.audit.trouble).toBeUndefined()
    expect(await replica.audit.verify()).toMatchObject({ ok: true, entries: 2 })
  })

  it('can be followed afterwards, without a missing or repeated record', async () => {
    const url = await server.database()
    await createTables(url)
    const [one, two] = (await Promise.all([newReplica(url), newReplica(url)])) as [Replica, Replica]
    await appendTo(one, intentOf(1))
    const stop = new AbortController()
    const sequences: number[] = []
    const following = (async () => {
      for await (const entries of two.audit.follow(0, stop.signal))
        sequences.push(...entries.map(({ text }) => JSON.parse(text).sequence))
    })()
    await expect.poll(() => sequences.length).toBe(1)
    await server.kill()
    await expect(one.audit.append(intentOf(2))).rejects.toThrow(/PostgreSQL/)
    await server.start()
    await expect.poll(() => appendTo(one, intentOf(3), intentOf(4)).then(() => 'safe', String)).toBe('safe')
    await expect.poll(() => sequences).toEqual([1, 2, 3])
    stop.abort()
    await following
  })

  it('continues after records that were committed without an acknowledgement', async () => {
    const url = await server.database()
    await createTables(url)
    let lose = 0
    const replica = await newReplica(url, ({ sql, ...rest }) => ({
      ...rest,
      async sql(text, values) {
        const rows = await sql(text, values)
        if (text.includes('json_to_recordset') && lose-- > 0) throw new StoreFailure('The answer was lost', 'POSTGRES_ECONNRESET')
        return rows as never // the rows of the statement
      },
    }))
    await appendTo(replica, intentOf(1))
    lose = 1
    await appendTo(replica, outcomeOf(1), intentOf(2))
    expect(await replica.audit.verify()).toMatchObject({ ok: true, entries: 3 })
    lose = Number.POSITIVE_INFINITY
    const lost = await Promise.allSettled([replica.audit.append(outcomeOf(2)), replica.audit.append(intentOf(3))])
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    lose = 0
    await appendTo(replica, intentOf(4))
    const verdict = await replica.audit.verify()
    expect(verdict).toMatchObject({ ok: true, entries: 6 })
    expect((await replica.audit.search({})).calls.map(({ call, outcome }) => [call, outcome])).toEqual([
      ['call-4', undefined],
      ['call-3', undefined],
      ['call-2', 'ok'],
      ['call-1', 'ok'],
    ])
  })

  it.each([0, 1])('continues after abandoned records that are committed later, after %i others', async (before) => {
    const url = await server.database()
    const { approvals } = await newPostgresStore(url)
    let isGivenUp = false
    let givenUp: (() => Promise<unknown>) | undefined
    const comeThrough = async () => {
      const late = givenUp
      givenUp = undefined
      await late?.()
    }
    const replica = await newReplica(url, ({ sql, transaction, ...rest }) => ({
      ...rest,
      async sql(text, values) {
        if (!text.includes('json_to_recordset')) return sql(text, values)
        if (isGivenUp) {
          isGivenUp = false
          givenUp = () => sql(text, values)
          // This failure is permanent, so that the write is tried once.
          throw new StoreFailure('The statement was given up', 'POSTGRES_42000')
        }
        await comeThrough()
        return sql(text, values)
      },
      async transaction(work) {
        await comeThrough()
        return transaction(work)
      },
    }))
    const giveUp = async (record: AuditRecord) => {
      isGivenUp = true
      await expect(replica.audit.append(record)).rejects.toThrow('given up')
    }
    if (before > 0) await appendTo(replica, intentOf(1))
    await giveUp(intentOf(2))
    await appendTo(replica, outcomeOf(2), intentOf(3), outcomeOf(3))
    await giveUp(intentOf(4))
    const request = asked({ held: false })
    await approvals.add(request, 10)
    await approvals.decide(request.id, 'allow')
    const use = approvals.release(request.id, request.digest, (one) => replica.audit.appendWithUse([intentOf(5)], one))
    expect(await use).toBe(true)
    expect(replica.audit.trouble).toBeUndefined()
    expect(await replica.audit.verify()).toMatchObject({ ok: true, entries: before + 6 })
  })

  it('never continues a stream whose end was changed', async () => {
    const url = await server.database()
    await createTables(url)
    const replica = await newReplica(url)
    await appendTo(replica, intentOf(1), intentOf(2))
    await replica.postgres.sql('UPDATE toolwire.audit_streams SET sequence = 1')
    await expect(appendTo(replica, intentOf(3))).rejects.toThrow(/ends with record 1/)
    await expect(appendTo(replica, intentOf(4))).rejects.toThrow(/differs from the records that this replica wrote/)
    expect(await replica.audit.verify()).toMatchObject({ ok: false })
  })
})
