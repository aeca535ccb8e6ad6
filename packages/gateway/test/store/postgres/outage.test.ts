// Outages of PostgreSQL: killed, frozen and restarted, also behind a pooler.
import { createApiKey } from 'toolwire/auth'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pgBouncer, pgBouncerFound } from '../../../../toolwire/test/pg-bouncer.js'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import type { Store } from '../../../src/store/store.js'
import { asked } from '../../support/approval-requests.js'
import { inDatabase, newPostgresStore } from '../../support/postgres-stores.js'
import { stallingLine } from '../../support/stalling-line.js'

const open = () => new AbortController().signal
const grant = (id: string) => ({
  ...{ id, caller: 'eve', server: 'mail', tool: 'send', definitionHash: 'sha256:0', expiresAt: Date.now() + 3_600_000 },
})

/** The result, or the error. */
async function endOf(work: () => unknown): Promise<unknown> {
  try {
    return await work()
  } catch (thrown) {
    return thrown
  }
}

describe.skipIf(!postgresFound)('while PostgreSQL cannot be reached', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function pair(): Promise<{ one: Store; two: Store; notes: string[] }> {
    const url = await server.database()
    const notes: string[] = []
    const one = await newPostgresStore(url, { onNote: (words) => notes.push(words) })
    return { one, two: await newPostgresStore(url), notes }
  }

  it('requests that need it are refused with a reason, and the gateway recovers by itself', async () => {
    const { one, two, notes } = await pair()
    const request = asked({ held: true })
    await one.approvals.add(request, 10)
    await one.grants.add(grant('kept'))
    await expect.poll(() => two.grants.list()).toHaveLength(1)
    const waiting = one.approvals.settled(request.id, open())
    // The wait has looked up its request before these later lookups end.
    await Promise.all(Array.from({ length: 50 }, () => one.approvals.find(request.id)))
    await server.kill()
    // The heartbeat fails without a request.
    await expect
      .poll(() => String(one.trouble))
      .toMatch(/StoreFailure: (Nothing listens at the address of PostgreSQL|.*PostgreSQL)/)
    const refused = await Promise.all([
      endOf(() => one.approvals.add(asked(), 10)),
      endOf(() => one.approvals.decide(request.id, 'allow')),
      endOf(() => one.grants.add(grant('new'))),
      endOf(() => one.vault.tokens('mail', 'ada').set('tokens', 'x')),
    ])
    for (const thrown of refused)
      expect(thrown).toMatchObject({ name: 'StoreFailure', message: expect.stringMatching(/PostgreSQL/) })
    await expect.poll(() => endOf(() => one.grants.list())).toMatchObject({ name: 'StoreFailure' })
    // A revocation applies even if it cannot be written.
    await endOf(() => two.sessions.drop('none'))
    await server.start()
    await expect.poll(() => one.trouble).toBeUndefined()
    await expect.poll(() => two.trouble).toBeUndefined()
    expect(notes.at(-1)).toBe('PostgreSQL answers again.')
    expect((await one.grants.list()).map(({ id }) => id)).toEqual(['kept'])
    expect(await two.approvals.decide(request.id, 'allow', 'ada')).toBe(true)
    expect(await waiting).toEqual({ state: 'allowed' })
    expect(await one.approvals.release(request.id, request.digest)).toBe(true)
    expect(await two.fleet?.replicas()).toHaveLength(2)
  })

  it('a revocation applies, and is written as soon as the database is back', async () => {
    const { one, two } = await pair()
    const { record } = await createApiKey({ caller: 'nightly', scopes: [] })
    await one.keys.add(record)
    await one.sessions.put('s', { id: 's', cookie: 'c', key: 'k', browser: 'b', startedAt: 1, usedAt: 2 })
    await expect.poll(() => two.keys.find(record.id)).toEqual(record)
    await expect.poll(() => two.sessions.get('s')).toBeDefined()
    await server.kill()
    expect(await Promise.all([endOf(() => one.keys.revoke(record.id)), endOf(() => one.sessions.drop('s'))])).toMatchObject([
      { name: 'StoreFailure' },
      { name: 'StoreFailure' },
    ])
    expect([one.keys.find(record.id), one.sessions.get('s')]).toEqual([undefined, undefined])
    await server.start()
    await expect.poll(() => two.keys.find(record.id)).toBeUndefined()
    await expect.poll(() => two.sessions.get('s')).toBeUndefined()
    expect([one.keys.find(record.id), one.sessions.get('s')]).toEqual([undefined, undefined])
  })

  it('no acknowledged write is lost, and none is made twice', async () => {
    const { one, two } = await pair()
    const added = new Set<string>()
    let restarting: Promise<void> | undefined
    // The database dies while requests are added. More are added after its return.
    while (added.size < 30) {
      const request = asked()
      if ((await endOf(() => one.approvals.add(request, 1_000))) === 'added') added.add(request.id)
      if (added.size === 10) restarting ??= server.kill().then(server.start)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await restarting
    for (const store of [one, two]) await expect.poll(() => store.trouble).toBeUndefined()
    const pending = new Set((await two.approvals.pending(1_000)).map(({ id }) => id))
    expect([...added].filter((id) => !pending.has(id))).toEqual([])
    const decided = await Promise.all(
      [...pending].flatMap((id) => [one, two].map((store) => store.approvals.decide(id, 'allow'))),
    )
    expect(decided.filter(Boolean)).toHaveLength(pending.size)
  })

  it('a gateway that the others took for dead has the start that it had', async () => {
    const url = await server.database()
    const one = await newPostgresStore(url)
    const found = async () => (await one.fleet?.replicas())?.map(({ id, startedAt }) => ({ id, startedAt })) ?? []
    const before = await found()
    expect(before).toHaveLength(1)
    // Another gateway deletes the row of one that has sent no heartbeat for ten seconds.
    await inDatabase(url, 'DELETE FROM toolwire.replicas')
    await expect.poll(found).toHaveLength(1)
    const [{ startedAt } = { startedAt: 0 }] = await found()
    expect(Math.abs(startedAt - (before[0]?.startedAt ?? 0))).toBeLessThan(1)
  })

  it('a revocation at another gateway applies here when the database is back', async () => {
    const { one, two } = await pair()
    await one.grants.add(grant('gone'))
    await one.pins.set({ server: 'mail', tool: 'send', hash: 'a', definition: { name: 'send' }, at: 5 })
    await expect.poll(() => two.grants.list()).toHaveLength(1)
    await one.grants.revoke('gone')
    await server.kill()
    await server.start()
    await expect.poll(async () => endOf(() => two.grants.list())).toEqual([])
    await expect.poll(() => two.pins.get('mail', 'send')).toMatchObject({ hash: 'a' })
  })

  it('a call is also refused within seconds if the database hangs, and is answered again afterwards', async () => {
    const url = await server.database()
    const line = await stallingLine(server.port)
    const through = url.replace(`:${server.port}`, `:${line.port}`)
    const one = await newPostgresStore(through)
    const request = asked()
    expect(await one.approvals.add(request, 10)).toBe('added')
    line.stall()
    const ends = [one.approvals.add(asked(), 10), one.approvals.decide(request.id, 'allow'), one.approvals.pending()]
    for (const end of await Promise.all(ends.map((end) => endOf(() => end))))
      expect(end).toMatchObject({ name: 'StoreFailure', message: expect.stringMatching(/answer/) })
    await expect.poll(() => one.trouble).toBeDefined()
    // The outage is known now, so later requests fail at once.
    expect(await endOf(() => one.approvals.find(request.id))).toMatchObject({
      name: 'StoreFailure',
      message: expect.stringMatching(/answer/),
    })
    line.goOn()
    await expect.poll(() => one.trouble).toBeUndefined()
    expect(await one.approvals.find(request.id)).toBeDefined()
    expect(await one.approvals.add(asked(), 10)).toBe('added')
  })

  it.skipIf(!pgBouncerFound)('and through PgBouncer in transaction mode, all of this works as without it', async () => {
    const pooler = await pgBouncer(await server.database())
    onTestFinished(() => pooler.close())
    const stores = [await newPostgresStore(pooler.url), await newPostgresStore(pooler.url), await newPostgresStore(pooler.url)]
    const [one, two] = stores
    if (!one || !two) throw new Error('there are three')
    const at = (n: number) => stores[n % 3] ?? one
    const added = await Promise.all(Array.from({ length: 60 }, (_, n) => at(n).approvals.add(asked(), 7)))
    expect(added.filter((one) => one === 'added')).toHaveLength(7)
    const request = asked({ caller: 'ada', held: true })
    await one.approvals.add(request, 10)
    const waiting = one.approvals.settled(request.id, open())
    const decided = await Promise.all(Array.from({ length: 50 }, (_, n) => at(n).approvals.decide(request.id, 'allow')))
    expect(decided.filter(Boolean)).toHaveLength(1)
    expect(await waiting).toEqual({ state: 'allowed' })
    const used = await Promise.all(Array.from({ length: 50 }, (_, n) => at(n).approvals.release(request.id, request.digest)))
    expect(used.filter(Boolean)).toHaveLength(1)
    await one.grants.add(grant('a'))
    await expect.poll(() => two.grants.list()).toHaveLength(1)
    await two.grants.revoke('a')
    await expect.poll(() => one.grants.list()).toEqual([])
    expect((await two.fleet?.replicas())?.length).toBe(3)
  })
})
