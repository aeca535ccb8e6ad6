// The use of an approval and its record are written together or not at all.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { howMany } from '../../../../toolwire/test/soak.js'
import { recordsOf } from '../../../src/store/audit/record-action.js'
import type { Store } from '../../../src/store/store.js'
import { start } from '../../programs/child-processes.js'
import { asked } from '../../support/approval-requests.js'
import { describeEveryStore } from '../../support/every-store.js'
import { inDatabase, newPostgresStore } from '../../support/postgres-stores.js'
import { append, intentOf, newDirectory, newStore } from '../../support/stores.js'
import { tamper } from '../../support/tampered-log.js'

const act = 'use-approval'

/** Uses an approval as a call does. */
const use = ({ approvals, audit }: Store, { id, digest }: { id: string; digest: string }): Promise<boolean> =>
  approvals.release(id, digest, (one) => audit.appendWithUse(recordsOf({ by: 'eve', act, about: { id } }), one))

async function approved(store: Store) {
  const request = asked({ held: false })
  await store.approvals.add(request, 1_000)
  await store.approvals.decide(request.id, 'allow')
  return request
}

const recorded = async (store: Store): Promise<number> => (await store.audit.search({ tool: `toolwire/${act}` })).calls.length

describeEveryStore((newPlace) => {
  it('is used once, and recorded once', async () => {
    const store = await (await newPlace()).open()
    const request = await approved(store)
    expect(await use(store, { id: request.id, digest: 'another' })).toBe(false)
    const used = await Promise.all([...Array.from({ length: 20 }, () => use(store, request)), append(store, intentOf(1))])
    expect(used.filter((one) => one === true)).toHaveLength(1)
    expect(await recorded(store)).toBe(1)
    expect((await store.approvals.history(1))[0]?.is).toEqual({ state: 'released' })
    await append(store, intentOf(2))
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 4 })
  })

  it('is listed as used', async () => {
    const store = await (await newPlace()).open()
    const request = await approved(store)
    const moves: unknown[] = []
    store.approvals.onMove((move) => moves.push(move))
    await use(store, request)
    expect(moves).toEqual([{ what: 'over', id: request.id, is: { state: 'released' } }])
  })
})

it('is still usable in SQLite if the record could not be written', async () => {
  const directory = newDirectory()
  const first = await newStore({}, directory)
  const request = await approved(first)
  await first.close()
  tamper(
    directory,
    `CREATE TRIGGER refuse BEFORE INSERT ON audit WHEN new.text LIKE '%${act}%' BEGIN SELECT RAISE(ABORT, 'no'); END`,
  )
  const second = await newStore({}, directory)
  await expect(use(second, request)).rejects.toThrow(/no/)
  await append(second, intentOf(1))
  await second.close()
  tamper(directory, 'DROP TRIGGER refuse')
  const third = await newStore({}, directory)
  expect(await use(third, request)).toBe(true)
  expect(await third.audit.verify()).toMatchObject({ ok: true, entries: 3 })
})

describe.skipIf(!postgresFound)('in PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  /** The used requests by their rows, and by the log. */
  async function usedIn(url: string) {
    const rows = await inDatabase<{ id: string }>(url, `SELECT id FROM toolwire.approvals WHERE state = 'released' ORDER BY 1`)
    const records = await inDatabase<{ id: string }>(
      url,
      `SELECT text::json->'arguments'->>'id' AS id FROM toolwire.audit WHERE text LIKE '%"intent"%${act}%' ORDER BY 1`,
    )
    return { rows: rows.map(({ id }) => id), records: records.map(({ id }) => id) }
  }

  it('is used by one of many calls at two replicas, whose other records continue', async () => {
    const url = await server.database()
    const stores = [await newPostgresStore(url), await newPostgresStore(url)]
    const [one, two] = stores as [Store, Store]
    const requests = await Promise.all(Array.from({ length: 10 }, () => approved(one)))
    const uses = requests.flatMap((request) => Array.from({ length: 10 }, (_, n) => use(stores[n % 2] ?? one, request)))
    const others = Array.from({ length: 100 }, (_, n) => append(stores[n % 2] ?? one, intentOf(n, { id: `other-${n}` })))
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(requests.length)
    await Promise.all(others)
    const { rows, records } = await usedIn(url)
    expect(rows).toEqual(requests.map(({ id }) => id).sort())
    expect(records).toEqual(rows)
    await two.audit.quiet()
    for (const store of stores) expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 120 })
  })

  it('is still usable if the record could not be written, and the chain continues', async () => {
    const url = await server.database()
    const store = await newPostgresStore(url)
    const request = await approved(store)
    await append(store, intentOf(1))
    await inDatabase(
      url,
      `CREATE FUNCTION toolwire.refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '22000'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON toolwire.audit FOR EACH ROW WHEN (new.text LIKE '%${act}%') EXECUTE FUNCTION toolwire.refuse()`,
    )
    await expect(use(store, request)).rejects.toThrow(/no/)
    await append(store, intentOf(2))
    expect(await usedIn(url)).toEqual({ rows: [], records: [] })
    await inDatabase(url, 'DROP TRIGGER refuse ON toolwire.audit')
    expect(await use(store, request)).toBe(true)
    expect(await use(store, request)).toBe(false)
    expect(await usedIn(url)).toEqual({ rows: [request.id], records: [request.id] })
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 4 })
  })

  it('blocks no other record while another replica has it locked', async () => {
    const url = await server.database()
    const store = await newPostgresStore(url)
    const request = await approved(store)
    let isUsed: Promise<boolean> | undefined
    await store.fleet?.postgres.transaction(async (sql) => {
      await sql('SELECT 1 FROM toolwire.approvals WHERE id = $1 FOR UPDATE', [request.id])
      isUsed = use(store, request)
      for (let n = 0; n < 10; n++) await append(store, intentOf(n, { id: `other-${n}` }))
      expect(await recorded(store)).toBe(0)
    })
    expect(await isUsed).toBe(true)
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 12 })
  })

  it('is used and recorded, or neither, when the database is killed', async () => {
    const url = await server.database()
    const stores = [await newPostgresStore(url), await newPostgresStore(url)]
    const [one] = stores as [Store, Store]
    const acknowledged = new Set<string>()
    for (let kill = 0; kill < howMany(2, 20); kill++) {
      const requests = await Promise.all(Array.from({ length: 20 }, () => approved(one)))
      let restarting: Promise<void> | undefined
      const uses = requests.flatMap((request, n) =>
        stores.map(async (store) => {
          await new Promise((resolve) => setTimeout(resolve, n * 5))
          if (n === 10) restarting ??= server.kill().then(server.start)
          if (await use(store, request).catch(() => false)) acknowledged.add(request.id)
        }),
      )
      await Promise.all(uses)
      await restarting
      for (const store of stores) await expect.poll(() => store.trouble).toBeUndefined()
    }
    const { rows, records } = await usedIn(url)
    expect(records).toEqual(rows)
    expect([...acknowledged].filter((id) => !rows.includes(id))).toEqual([])
    await expect.poll(() => append(one, intentOf(1)).then(() => 'safe', String)).toBe('safe')
    expect(await one.audit.verify()).toMatchObject({ ok: true })
  }, 600_000)

  it('is used and recorded, or neither, when the replica is killed', async () => {
    const url = await server.database()
    const directory = newDirectory()
    for (let kill = 0; kill < howMany(2, 40); kill++) {
      const child = await start('using.program.ts', directory, `STORE=${url}`)
      await child.untilLine(/^used/)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
      child.process.kill('SIGKILL')
      await child.ended
      const acknowledged = child.lines.flatMap((line) => (line.startsWith('used ') ? [line.slice(5)] : []))
      // The database completes a transaction that it is committing.
      await expect.poll(async () => (await usedIn(url)).records).toEqual((await usedIn(url)).rows)
      const { rows } = await usedIn(url)
      expect(acknowledged.filter((id) => !rows.includes(id))).toEqual([])
    }
  }, 600_000)
})
