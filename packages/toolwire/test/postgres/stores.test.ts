// Properties of all PostgreSQL stores: poolers, minimal privileges, prefixes and creation of tables.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanupLock } from '../../src/postgres/database.js'
import { postgresStores } from '../../src/postgres/index.js'
import { forgetApprovals } from '../../src/postgres/shared-approvals.js'
import { forgetChanges } from '../../src/postgres/shared-changes.js'
import { forgetLabels } from '../../src/postgres/shared-labels.js'
import { forgetLimits } from '../../src/postgres/shared-limits.js'
import { forgetSessions } from '../../src/postgres/shared-sessions.js'
import { forgetTasks } from '../../src/postgres/shared-tasks.js'
import { forgetTickets } from '../../src/postgres/shared-tickets.js'
import { pgBouncer, pgBouncerFound } from '../pg-bouncer.js'
import { asked } from '../policy/approve/pending-approval.js'
import { type PostgresServer, postgresFound, postgresServer } from '../postgres-server.js'
import { faults } from '../reported-faults.js'
import { memorySharedTasks } from './memory-stores.js'
import type { ReplicaStores } from './over-stores.js'
import { replicaPools } from './replica-pools.js'

const options = { replicas: 3, withinMs: 20_000 }
const later = Date.now() + 600_000

/** Uses each store once. */
async function useAll(stores: ReplicaStores): Promise<void> {
  const { limits, spentTickets, tasks, changes, sessions, events, approvals, grants, pins, turns, labels } = stores
  expect(await limits.take('a', { calls: 1_000, per: 'second' }, 0)).toBe(0)
  expect(await spentTickets.claim(crypto.randomUUID(), later)).toBe(true)
  const now = new Date().toISOString()
  const task = {
    taskId: crypto.randomUUID(),
    owner: 'ada',
    tool: 't',
    wrapped: false,
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 60_000,
  }
  const record = { ...task, status: 'working' as const, questions: {} }
  const lease = await tasks.leases?.begin(record)
  expect(lease && (await tasks.leases?.write({ ...record, status: 'completed' }, lease))).toBe(true)
  expect((await tasks.get(task.taskId))?.status).toBe('completed')
  changes.publish('a', { list: 'tools' })
  const session = crypto.randomUUID()
  await sessions.end(session, 1_000)
  expect((await sessions.read(session))?.ended).toBe(true)
  await events.append(session, 'a', { seq: 1, data: 'x' })
  expect(await events.after(session, 'a', 0)).toEqual([{ seq: 1, data: 'x' }])
  const request = asked()
  expect(await approvals.add(request, 1_000_000)).toBe('added')
  expect(await approvals.decide(request.id, 'allow')).toBe(true)
  expect(await approvals.release(request.id, request.digest)).toBe(true)
  const grant = { id: session, caller: 'ada', server: undefined, tool: 't', definitionHash: '0', expiresAt: later }
  await grants.add(grant)
  expect((await grants.list()).map(({ id }) => id)).toContain(session)
  await pins.set({ server: session, tool: 't', hash: '0', definition: {}, at: 0 })
  expect((await pins.get(session, 't'))?.hash).toBe('0')
  const release = await turns.enter([{ key: 'all', most: 1_000 }])
  expect(release).toBeDefined()
  release?.()
  const hold = await labels.hold(session, [{ name: 'red', when: {} }])
  hold.end()
  expect((await labels.received(session, ['red', 'blue']))('red')).toBe(true)
}

describe.runIf(postgresFound)('stores in PostgreSQL', () => {
  let server: PostgresServer
  const pools: ReturnType<typeof replicaPools>[] = []
  const poolsOf = (url: string) => {
    const made = replicaPools(url)
    pools.push(made)
    return made
  }
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(async () => {
    for (const one of pools) await one.close()
    await server.close()
  })

  it('create their tables on first use, even with many concurrent replicas, and again after the tables were dropped', async () => {
    const { pool } = poolsOf(await server.database())
    await Promise.all(
      Array.from({ length: 8 }, () => useAll(postgresStores(pool({ max: 2, connectionTimeoutMillis: 60_000 }), options))),
    )
    const one = pool()
    await one.query('DROP SCHEMA toolwire CASCADE')
    await useAll(postgresStores(one, options))
    expect(faults).toEqual([])
  })

  it('need no privilege to create objects once the tables exist', async () => {
    const url = await server.database()
    const { pool } = poolsOf(url)
    const owner = pool()
    await postgresStores(owner, options).migrate()
    await owner.query(`
      CREATE ROLE guest LOGIN;
      GRANT USAGE ON SCHEMA toolwire TO guest;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA toolwire TO guest;
    `)
    const guest = postgresStores(poolsOf(url.replace('toolwire@', 'guest@')).pool(), options)
    await guest.migrate()
    await useAll(guest)
    const elsewhere = (await server.database()).replace('toolwire@', 'guest@')
    await expect(postgresStores(poolsOf(elsewhere).pool(), options).migrate()).rejects.toThrow('permission denied')
  })

  it('remove all expired rows, however many', async () => {
    const { pool } = poolsOf(await server.database())
    const one = pool()
    await postgresStores(one, options).migrate()
    await one.query(
      `INSERT INTO toolwire.shared_tickets SELECT sha256(n::text::bytea), now() FROM generate_series(1, 25000) AS n`,
    )
    expect(await postgresStores(one, options).spentTickets.claim('one', later)).toBe(true)
    const left = async () => (await one.query('SELECT count(*)::int AS n FROM toolwire.shared_tickets')).rows[0]?.n
    await expect.poll(left).toBe(1)
    expect(faults).toEqual([])
  })

  it('remove old rows in batches, so that no statement locks very many', async () => {
    const { pool } = poolsOf(await server.database())
    const one = pool()
    await postgresStores(one, options).migrate()
    await one.query(`
      INSERT INTO toolwire.shared_changes (origin, change, at) SELECT '', '', now() - interval '1 day' FROM generate_series(1, 12000);
      INSERT INTO toolwire.shared_turns SELECT 'k', n, now() - interval '1 day' FROM generate_series(1, 12000) AS n;
      INSERT INTO toolwire.shared_events (session, stream, seq, data, ended, at)
        SELECT 's', 'a', n, '', false, now() - interval '1 day' FROM generate_series(1, 12000) AS n;
      INSERT INTO toolwire.shared_tasks (id, owner, leased_until, keep_until, record)
        SELECT n, '', now(), now() - interval '1 day', '' FROM generate_series(1, 12000) AS n`)
    let most = 0
    const query = async (text: string, values?: unknown[]) => {
      const answered = await one.query(text, values)
      most = Math.max(most, answered.rowCount ?? 0)
      return answered
    }
    expect(await postgresStores({ query }, options).spentTickets.claim('one', later)).toBe(true)
    const tables = ['changes', 'turns', 'events', 'tasks'].map((table) => `SELECT 1 FROM toolwire.shared_${table}`)
    await expect.poll(async () => (await one.query(tables.join(' UNION ALL '))).rows.length).toBe(0)
    expect(most).toBe(10_000)
    expect(faults).toEqual([])
  })

  it('limit the bytes of finished tasks of all replicas', async () => {
    const { pool } = poolsOf(await server.database())
    const one = pool()
    await postgresStores(one, options).migrate()
    await one.query(
      `INSERT INTO toolwire.shared_tasks (id, owner, leased_until, keep_until, record, over)
       SELECT n, sha256(n::text::bytea), now(), now() + interval '1 hour', repeat('x', 1048574), n > 10 FROM generate_series(1, 150) AS n`,
    )
    expect(await postgresStores(one, options).spentTickets.claim('one', later)).toBe(true)
    // Ten of them are still running.
    await expect.poll(async () => (await one.query('SELECT 1 FROM toolwire.shared_tasks')).rows.length).toBe(138)
    expect(faults).toEqual([])
  })

  it('limit the number of approval requests, and keep none that was used or withdrawn', async () => {
    const { pool } = poolsOf(await server.database())
    const one = pool()
    const { approvals } = postgresStores(one, options)
    const count = async () => (await one.query('SELECT count(*)::int AS n FROM toolwire.shared_approvals')).rows[0]?.n
    const [used, withdrawn] = [asked(), asked()]
    for (const request of [used, withdrawn]) expect(await approvals.add(request, 10)).toBe('added')
    await approvals.decide(used.id, 'allow')
    expect(await approvals.release(used.id, used.digest)).toBe(true)
    await approvals.withdraw(withdrawn.id)
    expect(await count()).toBe(0)
    await one.query(
      `INSERT INTO toolwire.shared_approvals (id, call_digest, digest, caller, asked, held, open, until)
       SELECT n, n, '', sha256(n::text::bytea), '{}', true, false, now() + interval '1 minute' FROM generate_series(1, 10000) AS n`,
    )
    expect(await approvals.add(asked(), 10)).toBe('full')
    await one.query('UPDATE toolwire.shared_approvals SET until = now()')
    expect(await approvals.add(asked(), 10)).toBe('added')
  })

  it('list tasks without their results, and wait for decisions without reading the arguments', async () => {
    const { pool } = poolsOf(await server.database())
    const one = pool()
    let characters = 0
    const query = async (text: string, values?: unknown[]) => {
      const answered = await one.query(text, values)
      characters += JSON.stringify(answered.rows ?? []).length
      return answered
    }
    const { tasks, approvals } = postgresStores({ query }, options)
    const long = 'x'.repeat(100_000)
    const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z', ttlMs: 60_000 }
    const known = { taskId: 'long', owner: 'ada', tool: 't', wrapped: false, ...times }
    const record = { ...known, status: 'working' as const, questions: {} }
    const lease = await tasks.leases?.begin(record)
    const outcome = { result: { content: [{ type: 'text' as const, text: `${long},\n` }], isError: false } }
    expect(lease && (await tasks.leases?.write({ ...record, status: 'completed', outcome }, lease))).toBe(true)
    // The format of an earlier version.
    const { questions: _none, ...older } = record
    await tasks.leases?.begin({ ...record, taskId: 'older' })
    await one.query('UPDATE toolwire.shared_tasks SET change = $1 WHERE id = $2', [
      JSON.stringify({ status: older.status, statusMessage: 'a,b', lastUpdatedAt: older.lastUpdatedAt, questions: {} }),
      'older',
    ])
    const request = { ...asked(), arguments: { long } }
    expect(await approvals.add(request, 10)).toBe('added')
    characters = 0
    expect((await tasks.list('ada')).map(({ taskId, status, statusMessage }) => [taskId, status, statusMessage])).toEqual([
      ['long', 'completed', undefined],
      ['older', 'working', 'a,b'],
    ])
    const settled = approvals.settled(request.id, new AbortController().signal)
    await approvals.decide(request.id, 'allow')
    expect(await settled).toEqual({ state: 'allowed' })
    expect(characters).toBeLessThan(10_000)
    expect((await tasks.get('long'))?.outcome).toEqual(outcome)
  })

  it('continue to remove old rows after one of the statements failed', async () => {
    const { pool } = poolsOf(await server.database())
    const one = pool()
    await postgresStores(one, options).migrate()
    await one.query('ALTER TABLE toolwire.shared_events RENAME COLUMN data TO other')
    await one.query(`INSERT INTO toolwire.shared_turns SELECT 'k', n, now() - interval '1 day' FROM generate_series(1, 3) AS n`)
    expect(await postgresStores(one, options).spentTickets.claim('one', later)).toBe(true)
    const left = async () => (await one.query('SELECT count(*)::int AS n FROM toolwire.shared_turns')).rows[0]?.n
    await expect.poll(left).toBe(0)
    expect(faults.splice(0)).toHaveLength(1)
  })

  it('find expired rows by an index, and only one replica searches at a time', async () => {
    const { pool } = poolsOf(await server.database())
    const one = pool({ max: 1 })
    await postgresStores(one, options).migrate()
    // PostgreSQL would scan small tables sequentially.
    await one.query('SET enable_seqscan = off')
    for (const forget of [forgetTickets, forgetSessions, forgetTasks, forgetApprovals, forgetChanges, forgetLabels]) {
      const { rows } = await one.query(`EXPLAIN ${forget}`)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toMatch(/Index Cond: \((keep_until|until|at) < /)
    }
    await one.query(`INSERT INTO toolwire.shared_limits SELECT sha256(n::text::bytea), 0 FROM generate_series(1, 3) AS n`)
    await one.query(`BEGIN; SELECT ${cleanupLock}`)
    const other = pool()
    expect((await other.query(forgetLimits)).rows).toEqual([])
    await one.query('ROLLBACK')
    expect((await other.query(forgetLimits)).rows).toHaveLength(3)
  })

  it('notify of an approval request that was added while another one was removed', async () => {
    const { pool } = poolsOf(await server.database())
    const one = pool()
    const looks: string[] = []
    const { approvals } = postgresStores(
      {
        async query(text, values) {
          const found = await one.query(text, values)
          looks.push(...found.rows.flatMap((row) => row.mark ?? []))
          return found
        },
      },
      options,
    )
    expect(await approvals.add(asked(), 10)).toBe('added')
    let notifications = 0
    const stop = approvals.onChange(() => notifications++)
    await expect.poll(() => looks.length).toBeGreaterThan(0)
    await one.query(`
      WITH old AS (DELETE FROM toolwire.shared_approvals RETURNING *)
      INSERT INTO toolwire.shared_approvals (id, call_digest, digest, caller, asked, held, open, until)
      SELECT 'new', call_digest, digest, caller, asked, held, open, until FROM old
    `)
    await expect.poll(() => notifications).toBe(1)
    stop()
  })

  it('separate tables with different prefixes', async () => {
    const { pool } = poolsOf(await server.database())
    const [shop, bank] = [postgresStores(pool(), options), postgresStores(pool(), { ...options, prefix: 'bank_2' })]
    for (const stores of [shop, bank]) await useAll(stores)
    expect(await shop.spentTickets.claim('one', later)).toBe(true)
    expect(await bank.spentTickets.claim('one', later)).toBe(true)
    const limit = { calls: 1, per: 'hour' } as const
    expect([await shop.limits.take('b', limit, 0), await bank.limits.take('b', limit, 0)]).toEqual([0, 0])
    expect((await pool().query("SELECT to_regclass('toolwire.bank_2_limits') IS NOT NULL AS there")).rows[0]?.there).toBe(true)
    for (const prefix of ['', 'Shop', '1', 'a-b', 'a; DROP', 'x'.repeat(31)]) {
      expect(() => postgresStores(pool(), { ...options, prefix })).toThrow('`prefix`')
    }
  })

  it.runIf(pgBouncerFound)('work through a pooler in transaction mode with one connection for all', async () => {
    const pooler = await pgBouncer(await server.database(), 1)
    try {
      const { pool } = poolsOf(pooler.url)
      const stores = [1, 2, 3].map(() => postgresStores(pool(), options))
      await Promise.all(stores.map(useAll))
      for (const pooled of pools.splice(pools.length - 1)) await pooled.close()
    } finally {
      await pooler.close()
    }
  })

  it('accept any client that runs statements, and need no pool', async () => {
    const client = new pg.Client(await server.database())
    await client.connect()
    try {
      await useAll(postgresStores({ query: (text, values) => client.query(text, values) }, options))
    } finally {
      await client.end()
    }
  })
})

it('an in-process store keeps copies, as a shared one must', async () => {
  const store = memorySharedTasks()
  const now = new Date().toISOString()
  const record = { taskId: 'a', owner: 'ada', tool: 't', wrapped: false, createdAt: now, lastUpdatedAt: now, ttlMs: 60_000 }
  await store.leases?.begin({ ...record, status: 'working', questions: {} })
  const seen = await store.get('a')
  if (seen) seen.status = 'completed'
  expect((await store.get('a'))?.status).toBe('working')
})
