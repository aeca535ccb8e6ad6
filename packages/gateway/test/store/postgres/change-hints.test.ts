// Decisions reach a waiting gateway at once through notifications of PostgreSQL, and soon without them.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pgBouncer, pgBouncerFound } from '../../../../toolwire/test/pg-bouncer.js'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { hintChannel, listenTo } from '../../../src/store/postgres/change-hints.js'
import { openPostgres, type Sql } from '../../../src/store/postgres/connection.js'
import { openPostgresClient } from '../../../src/store/postgres/postgres-client.js'
import type { Store } from '../../../src/store/store.js'
import { asked } from '../../support/approval-requests.js'
import { inDatabase, newPostgresStore } from '../../support/postgres-stores.js'

const open = () => new AbortController().signal
const listeners = (url: string) =>
  inDatabase<{ query: string }>(url, `SELECT query FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`)

describe.skipIf(!postgresFound)('a decision', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  const idOf = ({ fleet }: Store) => fleet?.id ?? ''

  it('is announced once, and only to the gateway that holds the call', async () => {
    const url = await server.database()
    const [holder, other] = [await newPostgresStore(url), await newPostgresStore(url)]
    const notifications: string[] = []
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    client.on('notification', ({ channel, payload }) => notifications.push(`${channel}${payload}`))
    for (const one of [holder, other]) await client.query(`LISTEN "${hintChannel(idOf(one))}"`)
    const decide = async (held: boolean, at: Store) => {
      const request = asked({ held })
      await holder.approvals.add(request, 100)
      expect(await at.approvals.decide(request.id, 'allow')).toBe(true)
    }
    await decide(false, other)
    await decide(true, holder)
    await client.query('SELECT 1')
    expect(notifications).toEqual([])
    await decide(true, other)
    await expect.poll(() => notifications).toEqual([hintChannel(idOf(holder))])
    for (let count = 0; count < 3; count++) await holder.approvals.add(asked({ held: true }), 100)
    expect(await other.approvals.denyAll({}, { by: 'ada' })).toHaveLength(3)
    await client.query('SELECT 1')
    await expect.poll(() => notifications).toHaveLength(2)
  })

  it('wakes a waiting call at another gateway, and only a gateway with waiting calls listens', async () => {
    const url = await server.database()
    const [one, two] = [await newPostgresStore(url), await newPostgresStore(url)]
    expect(await listeners(url)).toEqual([])
    for (let count = 0; count < 3; count++) {
      const request = asked({ held: true })
      await one.approvals.add(request, 100)
      const settled = one.approvals.settled(request.id, open())
      await expect.poll(() => listeners(url)).toHaveLength(1)
      await two.approvals.decide(request.id, 'allow')
      expect(await settled).toEqual({ state: 'allowed' })
    }
    expect(await listeners(url)).toEqual([{ query: `LISTEN "${hintChannel(idOf(one))}"` }])
    await one.close()
    await expect.poll(() => listeners(url)).toEqual([])
  })

  it('is looked up after each notification, and not only after the polling interval', async () => {
    const url = await server.database()
    await newPostgresStore(url)
    const [postgres, control] = [await openPostgres(url, () => undefined), await openPostgres(url, () => undefined)]
    let looks = 0
    let last: Promise<unknown> = Promise.resolve()
    const sql: Sql = (text, values) => {
      const rows = control.sql(text, values)
      if (!text.includes('pg_current_snapshot')) return rows as never
      looks++
      last = rows
      return rows as never
    }
    let hint = () => {}
    const listen: Parameters<typeof openPostgresClient>[0]['listen'] = async ({ onHint }) => {
      hint = onHint
      return () => undefined
    }
    const parts = { replica: { id: 'one', name: 'here', version: '1' }, listen, onNote: () => undefined, wall: Date.now }
    const client = await openPostgresClient({ ...parts, postgres, control: { ...control, sql } })
    onTestFinished(async () => {
      await client.close()
      await Promise.all([postgres.close(), control.close()])
    })
    const stop = client.changes.wait()
    for (let count = 0; count < 3; count++) {
      const before = looks
      await expect.poll(() => looks).toBeGreaterThan(before)
      await last
      await new Promise(setImmediate)
      const known = looks
      hint()
      expect(looks).toBe(known + 1)
    }
    stop()
  })

  it('is found without a notification after the listening connection was lost', async () => {
    const url = await server.database()
    const [one, two] = [await newPostgresStore(url), await newPostgresStore(url)]
    const request = asked({ held: true })
    await one.approvals.add(request, 10)
    const settled = one.approvals.settled(request.id, open())
    await expect.poll(() => listeners(url)).toHaveLength(1)
    await inDatabase(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`)
    await expect.poll(() => listeners(url)).toEqual([])
    await two.approvals.decide(request.id, 'deny')
    expect(await settled).toEqual({ state: 'denied' })
  })

  it.skipIf(!pgBouncerFound)('is found without a notification behind a pooler, where no gateway listens', async () => {
    const url = await server.database()
    const pooler = await pgBouncer(url)
    onTestFinished(() => pooler.close())
    const handlers = { onHint: () => undefined, onLost: () => undefined }
    expect(await listenTo(pooler.url, hintChannel('one'), handlers)).toBeUndefined()
    const close = await listenTo(url, hintChannel('one'), handlers)
    expect(await listeners(url)).toHaveLength(1)
    close?.()
    const [one, two] = [await newPostgresStore(pooler.url), await newPostgresStore(pooler.url)]
    const request = asked({ held: true })
    await one.approvals.add(request, 10)
    const settled = one.approvals.settled(request.id, open())
    await two.approvals.decide(request.id, 'allow')
    expect(await settled).toEqual({ state: 'allowed' })
    await expect.poll(() => listeners(url)).toEqual([])
  })
})
