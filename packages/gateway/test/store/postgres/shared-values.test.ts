// Grants, keys, pins, marks, sessions and credentials of several gateways: a change at one applies at all.
import pg from 'pg'
import { createApiKey } from 'toolwire/auth'
import type { Grant, Pin, ReadyTool } from 'toolwire/guard'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { Sessions } from '../../../src/console/sessions.js'
import { toolStatesOf } from '../../../src/guard/tools/tool-states.js'
import { memoryMirror } from '../../../src/store/mirrored/memory-mirror.js'
import { storedToolMarks } from '../../../src/store/mirrored/tool-marks.js'
import { changeFeed } from '../../../src/store/postgres/change-feed.js'
import { openPostgres, type Sql } from '../../../src/store/postgres/connection.js'
import { keptValues } from '../../../src/store/postgres/kept-values.js'
import { postgresJobs } from '../../../src/store/postgres/postgres-jobs.js'
import type { StoreClient } from '../../../src/store/store-client.js'
import { type Console, enter, withConsole } from '../../console/console-visitor.js'
import { inDatabase, newPostgresStore } from '../../support/postgres-stores.js'

const hour = 3_600_000
const grant = (id: string): Grant => ({
  ...{ id, caller: 'eve', server: 'mail', tool: 'send', definitionHash: 'sha256:0', expiresAt: Date.now() + hour },
})
const pin = (hash: string): Pin => ({ server: 'mail', tool: 'send', hash, definition: { name: 'send' }, at: 5 })

describe.skipIf(!postgresFound)('a value that gateways share in PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function pair() {
    const url = await server.database()
    return { url, one: await newPostgresStore(url), two: await newPostgresStore(url) }
  }

  it('appears at the other gateway soon, and disappears there when it is revoked', async () => {
    const { one, two } = await pair()
    await one.grants.add(grant('a'))
    await expect.poll(() => two.grants.list()).toHaveLength(1)
    await two.grants.revoke('a')
    await expect.poll(() => one.grants.list()).toEqual([])
    await two.pins.set(pin('a'))
    await expect.poll(() => one.pins.get('mail', 'send')).toEqual(pin('a'))
    await one.marks.set('state', { server: 'mail', tool: 'send' }, { state: 'off', at: 1, by: 'ada' })
    await expect.poll(() => two.marks.get('state', { server: 'mail', tool: 'send' })).toMatchObject({ state: 'off' })
    await one.sessions.put('s', { id: 's', cookie: 'c', key: 'k', browser: 'b', startedAt: 1, usedAt: 2 })
    await expect.poll(() => two.sessions.get('s')).toMatchObject({ cookie: 'c' })
    await one.servers.add('mail', { id: 'identity', facts: {} } as never)
    await expect.poll(() => two.servers.get('identity')).toMatchObject({ name: 'mail' })
    expect(two.servers.salt).toBe(one.servers.salt)
    await one.vault.tokens('mail', 'a\0da').set('tokens', 'secret')
    expect(await two.vault.tokens('mail', 'a\0da').get('tokens')).toBe('secret')
    expect(await two.vault.holders()).toEqual([{ server: 'mail', principal: 'a\0da' }])
    expect(two.digestKey).toEqual(one.digestKey)
  })

  it('closes connections with a key at every gateway when the key is revoked at one', async () => {
    const { one, two } = await pair()
    const { record } = await createApiKey({ caller: 'nightly', scopes: [] })
    let revoked = 0
    two.keys.onRevoke(() => revoked++)
    await one.keys.add(record)
    await expect.poll(() => two.keys.find(record.id)).toEqual(record)
    expect(await one.keys.revoke(record.id)).toBe(true)
    await expect.poll(() => two.keys.find(record.id)).toBeUndefined()
    expect(revoked).toBe(1)
    expect(await two.keys.revoke(record.id)).toBe(false)
  })

  it('can be a session of the console: its use counts at every gateway, and so does its end', async () => {
    const { one, two } = await pair()
    const clock = { now: Date.now() }
    const [here, there] = [one, two].map((store) => new Sessions(store.sessions, undefined, () => clock.now)) as [
      Sessions,
      Sessions,
    ]
    const { session, ...credentials } = await here.begin('browser')
    await expect.poll(() => there.find(credentials)?.id).toBe(session.id)
    here.use(session)
    // The session is used only at the other gateway, for longer than an unused session lasts.
    for (let n = 0; n < 2; n++) {
      clock.now += 20 * 60_000
      there.use(session)
      await expect.poll(() => one.sessions.get(session.id)?.usedAt).toBe(clock.now)
      expect(here.find(credentials)?.usedAt).toBe(clock.now)
    }
    const ended: string[] = []
    there.onEnd((id) => ended.push(id))
    await here.end(session.id)
    await expect.poll(() => ended).toEqual([session.id])
    expect(there.find(credentials)).toBeUndefined()
  })

  it('can be a session of the console, which lasts although the clock of a gateway is set by two hours', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { one, two } = await pair()
    const [here, there] = [await withConsole({ options: { store: one } }), await withConsole({ options: { store: two } })]
    const { cookie, ...shown } = await enter(here)
    // The name of the cookie has the port, which is the same at gateways on different machines.
    const ownCookie = ({ home }: Console) => cookie.replace(new URL(here.home).port, new URL(home).port)
    const statusAt = async (at: Console) => (await at.send('/session', { headers: { ...shown, cookie: ownCookie(at) } })).status
    await expect.poll(() => statusAt(there)).toBe(200)
    for (const hours of [2, -2]) {
      vi.setSystemTime(Date.now() + hours * hour)
      expect([await statusAt(there), await statusAt(here)]).toEqual([200, 200])
    }
  })

  it('stays dropped if another gateway stores it again without knowing, if its key is unique', async () => {
    const { one, two } = await pair()
    const session = { id: 's', cookie: 'c', key: 'k', browser: 'b', startedAt: 1, usedAt: 2 }
    await one.sessions.put('s', session)
    await expect.poll(() => two.sessions.get('s')).toEqual(session)
    await one.sessions.drop('s')
    await two.sessions.put('s', { ...session, usedAt: 3 })
    await one.sessions.put('other', { ...session, id: 'other' })
    for (const { sessions } of [one, two]) await expect.poll(() => sessions.entries().map(([id]) => id)).toEqual(['other'])
    // Values under other keys may return.
    await one.pins.set(pin('a'))
    await one.pins.delete('mail', 'send')
    await two.pins.set(pin('b'))
    await expect.poll(() => one.pins.get('mail', 'send')).toEqual(pin('b'))
  })

  it('is not missed if transactions commit in another order than they began', async () => {
    const { url, one, two } = await pair()
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('BEGIN')
    await client.query(`INSERT INTO toolwire.kept (room, place, key, value) VALUES ('pins', 'x', '["mail","late"]', $1)`, [
      JSON.stringify({ ...pin('late'), tool: 'late' }),
    ])
    // Later transactions commit and are read meanwhile.
    for (const hash of ['a', 'b', 'c']) {
      await one.pins.set(pin(hash))
      await expect.poll(() => two.pins.get('mail', 'send')).toEqual(pin(hash))
    }
    expect(await two.pins.get('mail', 'late')).toBeUndefined()
    await client.query('COMMIT')
    await expect.poll(() => two.pins.get('mail', 'late')).toMatchObject({ hash: 'late' })
    await expect.poll(() => one.pins.get('mail', 'late')).toMatchObject({ hash: 'late' })
  })

  it('is forgotten when it was dropped long ago, and not while a late answer could bring it back', async () => {
    const { url } = await pair()
    const postgres = await openPostgres(url, () => undefined, 2)
    onTestFinished(() => postgres.close())
    const { put, drop } = keptValues(postgres.sql)
    let now = 0
    const feed = changeFeed(postgres.sql, () => now)
    const delivered: (string | undefined)[] = []
    feed.changes.onKept('grants', (_, value) => delivered.push(value))
    const granted = await put('grants', [['a', 'granted']])
    for (const value of [...granted, ...(await drop('grants', 'a'))]) feed.note(value)
    await inDatabase(url, 'DELETE FROM toolwire.kept')
    now += 60_000
    feed.forgetDropped()
    for (const value of granted) feed.note(value)
    expect(delivered).toEqual(['granted', undefined])
    now += 2 * hour
    feed.forgetDropped()
    // It would report all keys that it knows, and the database does not have, as dropped.
    await feed.reread()
    expect(delivered).toEqual(['granted', undefined])
  })

  it('does not return after a revocation, by earlier reads', async () => {
    const { url, one, two } = await pair()
    // An open transaction makes every poll read again all changes since its start.
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('BEGIN')
    await client.query('SELECT pg_current_xact_id()')
    for (let n = 0; n < 20; n++) {
      const id = `grant ${n}`
      await one.grants.add(grant(id))
      const revoked = (n % 2 === 0 ? one : two).grants.revoke(id)
      const by = n % 2 === 0 ? one : two
      expect((await by.grants.list()).map((one) => one.id)).not.toContain(id)
      await revoked
    }
    await one.pins.set(pin('last'))
    await expect.poll(() => two.pins.get('mail', 'send')).toEqual(pin('last'))
    for (const store of [one, two]) await expect.poll(() => store.grants.list()).toEqual([])
    const grantIds: string[] = []
    for (const [store, other] of [
      [one, two],
      [two, one],
    ] as const) {
      await store.pins.set(pin('later'))
      await expect.poll(() => other.pins.get('mail', 'send')).toEqual(pin('later'))
      await store.pins.delete('mail', 'send')
      await expect.poll(() => other.pins.get('mail', 'send')).toBeUndefined()
      for (const each of [one, two]) grantIds.push(...(await each.grants.list()).map(({ id }) => id))
    }
    expect(grantIds).toEqual([])
  })

  it('does not return after a revocation, by an answer that was in flight', async () => {
    const { url } = await pair()
    const postgres = await openPostgres(url, () => undefined, 2)
    onTestFinished(() => postgres.close())
    const { put, drop } = keptValues(postgres.sql)
    let release: (() => void) | undefined
    /** Delays an answer of the database on its way to the reader. */
    const late: Sql = async <Row extends object>(text: string, values?: readonly unknown[]) => {
      const rows = await postgres.sql<Row>(text, values)
      if (text.includes('UNION ALL') && isLate)
        await new Promise<void>((resolve) => {
          release = resolve
        })
      return rows
    }
    let isLate = false
    const feed = changeFeed(late)
    const delivered: (string | undefined)[] = []
    feed.changes.onKept('grants', (_, value) => delivered.push(value))
    await feed.look()
    await put('grants', [['a', 'granted']])
    isLate = true
    const looking = feed.look()
    await expect.poll(() => release).toBeDefined()
    for (const value of await drop('grants', 'a')) feed.note(value)
    release?.()
    await looking
    expect(delivered).toEqual([undefined])
    isLate = false
    for (const value of await put('grants', [['a', 'again']])) feed.note(value)
    await feed.look()
    expect(delivered).toEqual([undefined, 'again'])
  })

  it('is revoked and granted at a starting gateway, despite an answer in flight', async () => {
    const { url } = await pair()
    const postgres = await openPostgres(url, () => undefined, 2)
    onTestFinished(() => postgres.close())
    const { put, drop } = keptValues(postgres.sql)
    let answer: (() => void) | undefined
    /** Delays an answer of the database on its way to the reader. */
    const late: Sql = async <Row extends object>(text: string, values?: readonly unknown[]) => {
      const rows = await postgres.sql<Row>(text, values)
      if (text.includes('ORDER BY key'))
        await new Promise<void>((resolve) => {
          answer = resolve
        })
      return rows
    }
    await put('grants', [
      ['kept', '1'],
      ['revoked', '1'],
      ['changed', '1'],
    ])
    const feed = changeFeed(late)
    await feed.look()
    const run = (_: string, room: string) => feed.load(room)
    const changes = { ...feed.changes, look: feed.look, wait: () => () => undefined }
    const opening = memoryMirror<number>('grants', { run, changes } as never)
    await expect.poll(() => answer).toBeDefined()
    await drop('grants', 'revoked')
    await put('grants', [
      ['changed', '2'],
      ['new', '3'],
    ])
    await feed.look()
    answer?.()
    const grants = await opening
    expect(Object.fromEntries(grants.entries())).toEqual({ kept: 1, changed: 2, new: 3 })
    await drop('grants', 'new')
    await feed.look()
    expect(grants.get('new')).toBeUndefined()
  })

  it('does not last longer at a gateway that is frozen while it reads the clock of the database', async () => {
    const url = await server.database()
    let readings: number | undefined
    /** An hour passes between the first reading and the second. */
    const wall = () => {
      if (readings === undefined) return Date.now()
      return Date.now() + (readings++ % 2) * hour
    }
    const [one, frozen] = [await newPostgresStore(url), await newPostgresStore(url, { wall })]
    readings = 0
    await expect.poll(() => readings! >= 2 && readings! % 2 === 0).toBe(true)
    const given = { ...grant('a'), expiresAt: Date.now() + 600_000 }
    await one.grants.add(given)
    await expect.poll(() => frozen.grants.list()).toEqual([given])
  })

  it('is switched off at every gateway even if one has just switched it on, and stays off if that cannot be written', async () => {
    const { url, one } = await pair()
    const postgres = await openPostgres(url, () => undefined, 2)
    onTestFinished(() => postgres.close())
    let answer: (() => void) | undefined
    /** Delays the answer to a dropped value until the test releases it. */
    const late: Sql = async <Row extends object>(text: string, values?: readonly unknown[]) => {
      const rows = await postgres.sql<Row>(text, values)
      if (text.includes('INSERT INTO toolwire.kept') && JSON.stringify(values).includes('[null]'))
        await new Promise<void>((resolve) => {
          answer = resolve
        })
      return rows
    }
    const feed = changeFeed(late)
    const jobs = postgresJobs({ sql: late, transaction: postgres.transaction }, { feed, replica: 'two' })
    const run: StoreClient['run'] = (job, ...args) => jobs[job](...args) as never
    const changes = { ...feed.changes, look: feed.look, wait: () => () => undefined }
    const marks = storedToolMarks(await memoryMirror<object>('marks', { run, write: run, changes }))
    const states = toolStatesOf({ marks, policy: undefined as never, onSwitched: () => undefined })
    const at = { server: 'mail', tool: 'send' }
    const send = { name: 'send', definition: { server: 'mail' } } as ReadyTool
    await feed.look()
    await one.marks.set('state', at, { state: 'hidden', at: 1, by: 'ada' })
    await feed.look()
    expect(states.of(send)).toBe('hidden')
    const switching = states.set(send, 'on', 'eve')
    await expect.poll(() => answer).toBeDefined()
    await one.marks.set('state', at, { state: 'off', at: 2, by: 'ada' })
    await feed.look()
    answer?.()
    await switching
    expect(states.of(send)).toBe('off')
    expect(marks.get('state', at)).toMatchObject({ state: 'off' })
    await postgres.sql('ALTER TABLE toolwire.kept ADD CHECK (value IS NOT NULL) NOT VALID')
    await expect(states.set(send, 'on', 'eve')).rejects.toThrow()
    expect(states.of(send)).toBe('off')
    expect(marks.get('state', at)).toMatchObject({ state: 'off' })
  })

  it('is read once after the database was restored from a dump with higher transaction numbers', async () => {
    const { url, one, two } = await pair()
    for (let n = 0; n < 20; n++) await one.grants.add(grant(`grant ${n}`))
    await inDatabase(url, `UPDATE toolwire.kept SET changed = '1000000000000'::xid8`)
    const postgres = await openPostgres(url, () => undefined, 1)
    onTestFinished(() => postgres.close())
    let read = 0
    const feed = changeFeed(async <Row extends object>(text: string, values?: readonly unknown[]) => {
      const rows = await postgres.sql<Row>(text, values)
      read += rows.length
      return rows
    })
    await feed.look()
    await two.pins.set(pin('new'))
    read = 0
    await feed.look()
    // The horizon, the pin, and its value.
    expect(read).toBe(3)
    await expect.poll(() => one.pins.get('mail', 'send')).toEqual(pin('new'))
  })

  it('is read once, even if a long transaction elsewhere holds the horizon back', async () => {
    const { url } = await pair()
    const postgres = await openPostgres(url, () => undefined, 2)
    const writer = new pg.Client(url)
    await writer.connect()
    onTestFinished(async () => {
      await writer.end()
      await postgres.close()
    })
    const { put } = keptValues(postgres.sql)
    let values = 0
    const feed = changeFeed(async <Row extends object>(text: string, given?: readonly unknown[]) => {
      const rows = await postgres.sql<Row>(text, given)
      values += rows.filter((row) => JSON.stringify(row).includes('granted')).length
      return rows
    })
    const delivered: (string | undefined)[] = []
    feed.changes.onKept('grants', (_, value) => delivered.push(value))
    await feed.look()
    await writer.query('BEGIN; SELECT pg_current_xact_id()')
    await put('grants', [['a', 'granted']])
    for (let look = 0; look < 3; look++) await feed.look()
    expect(values).toBe(1)
    await put('grants', [['a', 'granted again']])
    await writer.query('COMMIT')
    await feed.look()
    expect(delivered).toEqual(['granted', 'granted again'])
  })

  it('is the same at all gateways after simultaneous changes', async () => {
    const { url, one, two } = await pair()
    for (let n = 0; n < 10; n++) {
      await Promise.all([
        ...[one.pins.set(pin(`one ${n}`)), two.pins.set(pin(`two ${n}`)), one.pins.delete('mail', 'send')],
        ...[two.pins.set(pin(`again ${n}`)), one.pins.set(pin(`last ${n}`))],
      ])
    }
    const [row] = await inDatabase<{ value: string | null }>(url, `SELECT value FROM toolwire.kept WHERE room = 'pins'`)
    const kept = row?.value ? JSON.parse(row.value) : undefined
    for (const store of [one, two]) await expect.poll(() => store.pins.get('mail', 'send')).toEqual(kept)
  })
})
