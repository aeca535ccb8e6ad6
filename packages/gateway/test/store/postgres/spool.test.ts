// Records are spooled to the local disk while PostgreSQL is away, and moved to the log afterwards: each once, in order.
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { expectWithin, howMany } from '../../../../toolwire/test/soak.js'
import { recordsOf } from '../../../src/store/audit/record-action.js'
import type { Postgres } from '../../../src/store/postgres/connection.js'
import type { Store } from '../../../src/store/store.js'
import { StoreFailure } from '../../../src/store/store-failure.js'
import { type Child, start } from '../../programs/child-processes.js'
import { asked } from '../../support/approval-requests.js'
import { appendTo, createTables, newReplica } from '../../support/postgres-audit.js'
import { inDatabase, newPostgresStore } from '../../support/postgres-stores.js'
import { stallingLine } from '../../support/stalling-line.js'
import { append, intentOf, newDirectory, outcomeOf } from '../../support/stores.js'

/** The replica has the keys in its own directory. */
const ownKeys = { vaultKey: '', auditKey: '' }

describe.skipIf(!postgresFound)('a spool', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  const idsIn = async (url: string): Promise<string[]> => {
    const rows = await inDatabase<{ text: string }>(url, 'SELECT text FROM toolwire.audit ORDER BY stream, sequence')
    return rows.map(({ text }) => JSON.parse(text) as { id: string; kind: string }).map(({ id, kind }) => `${id} ${kind}`)
  }
  const spooledIn = (directory: string) => (existsSync(join(directory, 'spool')) ? readdirSync(join(directory, 'spool')) : [])
  const moved = (store: Store) => expect.poll(() => store.spooled).toEqual({ records: 0, bytes: 0, trouble: undefined })

  it('accepts records at once during an outage, and moves them to the database afterwards', async () => {
    const url = await server.database()
    const directory = newDirectory()
    const store = await newPostgresStore(url, { spool: true }, directory)
    await append(store, intentOf(1), outcomeOf(1), intentOf(2))
    await server.kill()
    for (let n = 3; n < 100; n++) await append(store, intentOf(n), outcomeOf(n))
    await append(store, outcomeOf(2))
    expect(store.spooled).toMatchObject({ records: 195, trouble: undefined })
    expect(spooledIn(directory)).toHaveLength(1)
    expect(String(store.trouble)).toMatch(/PostgreSQL/)
    await server.start()
    await moved(store)
    await append(store, intentOf(100), outcomeOf(100))
    expect(spooledIn(directory)).toEqual([])
    const ids = await idsIn(url)
    expect(ids).toHaveLength(200)
    expect(ids.slice(0, 5)).toEqual(['call-1 intent', 'call-1 outcome', 'call-2 intent', 'call-3 intent', 'call-3 outcome'])
    expect(ids.slice(-3)).toEqual(['call-2 outcome', 'call-100 intent', 'call-100 outcome'])
    await expect.poll(() => store.trouble).toBeUndefined()
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 200, streams: 1 })
    const { calls } = await store.audit.search({ limit: 200 })
    expect(calls.filter(({ outcome }) => outcome === 'ok')).toHaveLength(100)
    await store.audit.quiet()
    const heads = await inDatabase<{ sequence: number }>(url, 'SELECT sequence::int FROM toolwire.audit_heads')
    expect(heads).toEqual([{ sequence: 200 }])
  })

  it('accepts records while the database hangs, without delays', async () => {
    const url = await server.database()
    const line = await stallingLine(server.port)
    const store = await newPostgresStore(url.replace(`:${server.port}/`, `:${line.port}/`), { spool: true })
    await append(store, intentOf(1))
    line.stall()
    await append(store, outcomeOf(1))
    const began = performance.now()
    for (let n = 2; n <= 100; n++) {
      await append(store, intentOf(n), outcomeOf(n))
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    expectWithin(performance.now() - began, 8_500)
    expect(store.spooled).toMatchObject({ records: 199, trouble: undefined })
    line.goOn()
    await moved(store)
    expect((await idsIn(url)).length).toBe(200)
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 200, streams: 1 })
  })

  it('does not accept approvals and grants, which are refused with the reason', async () => {
    const url = await server.database()
    const store = await newPostgresStore(url, { spool: true })
    const request = asked({ held: false })
    await store.approvals.add(request, 10)
    await store.approvals.decide(request.id, 'allow')
    const use = () => store.approvals.release(request.id, request.digest, (one) => store.audit.appendWithUse([intentOf(9)], one))
    await server.kill()
    await expect(use()).rejects.toThrow(/PostgreSQL/)
    await append(store, intentOf(1))
    await expect(use()).rejects.toThrow('PostgreSQL cannot be reached: approvals cannot be used until it answers')
    await expect(store.approvals.add(asked(), 10)).rejects.toThrow(/PostgreSQL/)
    await append(store, outcomeOf(1))
    await server.start()
    await moved(store)
    await expect.poll(() => store.trouble).toBeUndefined()
    expect(await use()).toBe(true)
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 3 })
  })

  it('accepts records through repeated kills of the database, under load', async () => {
    const url = await server.database()
    const store = await newPostgresStore(url, { spool: true })
    const stop = new AbortController()
    const safe: string[] = []
    const failed: unknown[] = []
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      for (let n = 0; !stop.signal.aborted; n++)
        for (const record of [intentOf(n, { id: `${lane}-${n}` }), outcomeOf(n, { id: `${lane}-${n}` })])
          try {
            await store.audit.append(record)
            safe.push(`${record.id} ${record.kind}`)
          } catch (thrown) {
            failed.push(thrown)
          }
    })
    for (let kill = 0; kill < howMany(3, 30); kill++) {
      await server.kill()
      const before = safe.length
      await expect.poll(() => safe.length, { interval: 10 }).toBeGreaterThan(before + 200)
      await server.start()
      // Some kills come while records are moved.
      if (kill % 2 === 0) await moved(store)
    }
    await moved(store)
    stop.abort()
    await Promise.all(lanes)
    expect(failed).toEqual([])
    await moved(store)
    const ids = await idsIn(url)
    expect(ids).toHaveLength(safe.length)
    expect(new Set(ids)).toEqual(new Set(safe))
    await expect.poll(() => store.trouble).toBeUndefined()
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: safe.length, streams: 1 })
  }, 600_000)

  it('accepts records even if approvals were used as the database went away', async () => {
    const url = await server.database()
    const store = await newPostgresStore(url, { spool: true })
    const stop = new AbortController()
    const safe: string[] = []
    const failed: unknown[] = []
    const plain = Array.from({ length: 4 }, async (_, lane) => {
      for (let n = 0; !stop.signal.aborted; n++) {
        const record = intentOf(n, { id: `${lane}-${n}` })
        await append(store, record).then(
          () => safe.push(`${record.id} intent`),
          (thrown: unknown) => failed.push(thrown),
        )
      }
    })
    const using = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        const request = asked({ held: false })
        const records = recordsOf({ by: 'eve', act: 'use-approval', about: { id: request.id } })
        try {
          await store.approvals.add(request, 1_000)
          await store.approvals.decide(request.id, 'allow')
          await store.approvals.release(request.id, request.digest, (one) => store.audit.appendWithUse(records, one))
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 20)) // time without the database
        }
      }
    })
    for (let kill = 0; kill < howMany(4, 40); kill++) {
      await expect.poll(() => store.trouble).toBeUndefined()
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
      await server.kill()
      const before = safe.length
      await expect.poll(() => safe.length, { interval: 10 }).toBeGreaterThan(before + 100)
      await server.start()
      await expect.poll(() => store.spooled?.records).toBe(0)
    }
    stop.abort()
    await Promise.all([...plain, ...using])
    await moved(store)
    expect(failed).toEqual([])
    const ids = (await idsIn(url)).filter((id) => !id.startsWith('act-'))
    expect(ids).toHaveLength(safe.length)
    expect(new Set(ids)).toEqual(new Set(safe))
    const [row] = await inDatabase<{ used: number; recorded: number }>(
      url,
      `SELECT (SELECT count(*)::int FROM toolwire.approvals WHERE state = 'released') AS used,
         (SELECT count(*)::int FROM toolwire.calls WHERE tool = 'toolwire/use-approval') AS recorded`,
    )
    expect(row?.recorded).toBe(row?.used)
    await expect.poll(() => store.trouble).toBeUndefined()
    expect(await store.audit.verify()).toMatchObject({ ok: true })
  }, 600_000)

  it('is moved by the next start, wherever the replica was killed', async () => {
    const url = await server.database()
    const directory = newDirectory()
    const safe = new Set<string>()
    let streams = 0
    const untilNewLine = async (child: Child, words: string) => {
      const before = child.lines.length
      await expect.poll(() => child.lines.slice(before).includes(words), { interval: 5 }).toBe(true)
    }
    for (let kill = 0; kill < howMany(4, 40); kill++) {
      const child = await start('spooling.program.ts', directory, `STORE=${url}`)
      await child.untilLine(/^safe/)
      await server.kill()
      await untilNewLine(child, 'spooling')
      // Half of the replicas die while they spool, the others while records are moved or later.
      if (kill % 2 === 0) {
        await server.start()
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 700))
      }
      child.process.kill('SIGKILL')
      await child.ended
      for (const line of child.lines) if (line.startsWith('safe ')) safe.add(line.slice(5))
      if (kill % 2 === 1) await server.start()
      streams++
    }
    const notes: string[] = []
    const onNote = (words: string) => void notes.push(words)
    const store = await newPostgresStore(url, { spool: true, onNote, ...ownKeys }, directory)
    expect(spooledIn(directory)).toEqual([])
    expect(notes).toEqual([expect.stringMatching(/^[1-9]\d* audit records of the last run/)])
    const ids = await idsIn(url)
    expect(new Set(ids).size).toBe(ids.length)
    const kept = new Set(ids)
    expect([...safe].filter((id) => !kept.has(id))).toEqual([])
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: ids.length, streams })
  }, 600_000)

  /** The directory of a killed replica with these records in its spool. */
  async function leftBehind(url: string, count: number) {
    const directory = newDirectory()
    const child = await start('spooling.program.ts', directory, `STORE=${url}`)
    await child.untilLine(/^safe/)
    await server.kill()
    await expect.poll(() => child.lines.filter((line) => line === 'spooling').length).toBeGreaterThan(count)
    child.process.kill('SIGKILL')
    await child.ended
    await server.start()
    const [name = ''] = spooledIn(directory)
    return { directory, path: join(directory, 'spool', name), name }
  }

  it('may end with an incomplete line, which was never acknowledged', async () => {
    const url = await server.database()
    const { directory, path } = await leftBehind(url, 20)
    appendFileSync(path, readFileSync(path, 'utf8').split('\n')[0]?.slice(0, -10) ?? '')
    const store = await newPostgresStore(url, { spool: true, ...ownKeys }, directory)
    expect(spooledIn(directory)).toEqual([])
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: (await idsIn(url)).length })
  })

  it('with a changed line is set aside after the earlier records were moved, and the operator is told', async () => {
    const url = await server.database()
    const { directory, path, name } = await leftBehind(url, 20)
    const before = (await idsIn(url)).length
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, lines.map((line, at) => (at === 3 ? line.replace('eve', 'ada') : line)).join('\n'))
    const notes: string[] = []
    const store = await newPostgresStore(url, { spool: true, onNote: (words) => notes.push(words), ...ownKeys }, directory)
    expect(spooledIn(directory)).toEqual([`${name}.unmoved`])
    expect(notes).toEqual([
      expect.stringMatching(/is damaged after \d+ records, which are in PostgreSQL. The records are kept in/),
    ])
    expect((await idsIn(url)).length).toBeGreaterThan(before)
    expect(await store.audit.verify()).toMatchObject({ ok: true })
  })

  it('that does not continue the stream in the database is set aside', async () => {
    const url = await server.database()
    const { directory, name } = await leftBehind(url, 20)
    await inDatabase(url, 'DELETE FROM toolwire.audit; DELETE FROM toolwire.audit_streams; DELETE FROM toolwire.audit_heads')
    const notes: string[] = []
    await newPostgresStore(url, { spool: true, onNote: (words) => notes.push(words), ...ownKeys }, directory)
    expect(spooledIn(directory)).toEqual([`${name}.unmoved`])
    expect(notes).toEqual([expect.stringMatching(/ends with record 0 in the database/)])
  })

  it('is used by one process at a time, and is emptied by a start without a spool', async () => {
    const url = await server.database()
    const { directory } = await leftBehind(url, 5)
    const open = (spool?: boolean) => newPostgresStore(url, { ...ownKeys, ...(spool !== undefined && { spool }) }, directory)
    // A command that only reads the store does not touch the spool.
    await (await open()).close()
    expect(spooledIn(directory)).toHaveLength(1)
    const without = await open(false)
    expect(spooledIn(directory)).toEqual([])
    expect(without.spooled).toBeUndefined()
    expect(await without.audit.verify()).toMatchObject({ ok: true })
    await expect(open(false)).rejects.toThrow(/is in use by process/)
    await without.close()
    const store = await open(true)
    await expect(open(true)).rejects.toThrow(/is in use by process/)
    await store.close()
    await (await open(true)).close()
  })

  it('refuses when it is full, and accepts records again after a move', async () => {
    const url = await server.database()
    await createTables(url)
    const replica = await newReplica(url, undefined, { directory: newDirectory(), mostBytes: 20_000 })
    await appendTo(replica, intentOf(0))
    await server.kill()
    const full = /The spool on the local disk is full/
    let taken = 0
    await expect(async () => {
      for (; taken < 1_000; taken++) await appendTo(replica, intentOf(taken + 1))
    }).rejects.toThrow(full)
    await expect(appendTo(replica, intentOf(2_000))).rejects.toThrow(full)
    expect(String(replica.audit.spooled?.trouble)).toMatch(full)
    expect(taken).toBeGreaterThan(10)
    await server.start()
    await expect.poll(() => replica.audit.spooled).toEqual({ records: 0, bytes: 0, trouble: undefined })
    await appendTo(replica, intentOf(2_001))
    expect(await idsIn(url)).toHaveLength(taken + 2)
    expect(await replica.audit.verify()).toMatchObject({ ok: true, entries: taken + 2 })
  })

  it('does not count moved records as its contents, while others still wait', async () => {
    const url = await server.database()
    await createTables(url)
    let accepted = Number.POSITIVE_INFINITY
    const away = ({ sql, ...rest }: Postgres): Postgres => ({
      ...rest,
      async sql(text, values) {
        if (text.includes('json_to_recordset') && accepted-- <= 0) throw new StoreFailure('away', 'POSTGRES_ECONNRESET')
        return sql(text, values)
      },
    })
    const replica = await newReplica(url, away, { directory: newDirectory(), mostBytes: 700_000 })
    const large = (n: number) => intentOf(n, { caller: 'x'.repeat(90_000) })
    await appendTo(replica, intentOf(0))
    accepted = 0
    for (let n = 1; n <= 7; n++) await appendTo(replica, large(n))
    await expect(appendTo(replica, large(8))).rejects.toThrow(/The spool on the local disk is full/)
    // A move takes half a mebibyte.
    accepted = 1
    await expect.poll(() => replica.audit.spooled?.records).toBe(2)
    await appendTo(replica, large(9))
    accepted = Number.POSITIVE_INFINITY
    await expect.poll(() => replica.audit.spooled?.records).toBe(0)
    expect(await replica.audit.verify()).toMatchObject({ ok: true, entries: 9 })
  })

  it('also contains possibly committed records, and the log has each of them once', async () => {
    const url = await server.database()
    await createTables(url)
    let lose = 0
    const around = ({ sql, ...rest }: Postgres): Postgres => ({
      ...rest,
      async sql(text, values) {
        const rows = await sql(text, values)
        if (text.includes('json_to_recordset') && lose-- > 0) throw new StoreFailure('The answer was lost', 'POSTGRES_ECONNRESET')
        return rows as never // the rows of the statement
      },
    })
    const replica = await newReplica(url, around, { directory: newDirectory() })
    await appendTo(replica, intentOf(1))
    lose = Number.POSITIVE_INFINITY
    await appendTo(replica, outcomeOf(1), intentOf(2))
    await appendTo(replica, outcomeOf(2))
    lose = 0
    await expect.poll(() => replica.audit.spooled?.records).toBe(0)
    await appendTo(replica, intentOf(3))
    expect(await idsIn(url)).toEqual([...['call-1 intent', 'call-1 outcome', 'call-2 intent', 'call-2 outcome', 'call-3 intent']])
    expect(await replica.audit.verify()).toMatchObject({ ok: true, entries: 5, streams: 1 })
  })

  it('starts another stream if the end of the previous one is unknown', async () => {
    const url = await server.database()
    await createTables(url)
    // The database goes away before the first record.
    const replica = await newReplica(url, undefined, { directory: newDirectory() })
    await server.kill()
    await appendTo(replica, intentOf(1))
    await appendTo(replica, outcomeOf(1))
    expect(replica.audit.spooled?.records).toBe(2)
    await server.start()
    await expect.poll(() => replica.audit.spooled?.records).toBe(0)
    expect(await idsIn(url)).toEqual(['call-1 intent', 'call-1 outcome'])
    expect(await replica.audit.verify()).toMatchObject({ ok: true, entries: 2, streams: 1 })
  })
})
