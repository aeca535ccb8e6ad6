import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microsecondsOf } from '../../src/policy/rate-limit/gcra.js'
import { memoryLimits } from '../../src/policy/rate-limit/store.js'
import { postgresStores } from '../../src/postgres/index.js'
import type { Limit } from '../../src/tools/tool.js'
import { freezePostgres } from '../frozen-postgres.js'
import { limitStoreSuite } from '../policy/rate-limit/limit-store-suite.js'
import { postgresFound, postgresServer } from '../postgres-server.js'
import { howMany } from '../soak.js'
import { pause } from '../waiting.js'
import { replicaPools } from './replica-pools.js'

function suite(): void {
  limitStoreSuite(async () => {
    const server = await postgresServer()
    const url = await server.database()
    const pools = replicaPools(url)
    const nowhere = replicaPools('postgres://toolwire@127.0.0.1:1/none')
    let thaw = () => {}
    return {
      async store(options) {
        const { limits, migrate } = postgresStores(pools.pool(), options)
        await migrate()
        return limits
      },
      unreachable: (options) => postgresStores(nowhere.pool(), options).limits,
      kill: server.kill,
      start: server.start,
      async freeze() {
        thaw = await freezePostgres(url)
      },
      thaw: () => thaw(),
      async close() {
        await pools.close()
        await nowhere.close()
        await server.close()
      },
    }
  })
}

if (postgresFound) suite()

describe('limits in PostgreSQL', () => {
  const limit: Limit = { calls: 1, per: 'hour' }

  it.each([undefined, null, 'soon', -1, Number.NaN, {}])('%j from the database is no permission', async (wait) => {
    const { limits } = postgresStores({ query: async () => ({ rows: [{ granted: wait, wait }] }) }, { replicas: 1 })
    expect(await limits.take('key', limit, 0)).toBe(0)
    expect(await limits.take('key', limit, 0)).toBeGreaterThan(0)
  })

  it.runIf(postgresFound)('SECS-003 match the limits in memory, at any time and in any order', async () => {
    const server = await postgresServer()
    // A fake clock takes the place of the server clock, and advances only on command.
    const pools = replicaPools(await server.database())
    try {
      const pool = pools.pool({ max: 1 })
      const { limits, migrate } = postgresStores(pool, { replicas: 1, withinMs: 20_000 })
      await migrate()
      await pool.query(`
        CREATE SCHEMA set_clock;
        CREATE FUNCTION set_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql
          AS $$ SELECT timestamptz '2030-01-01 00:00:00Z' + current_setting('set_clock.now')::bigint * interval '1 microsecond' $$;
        SET search_path = set_clock, pg_catalog;
      `)
      // The time per call is a whole number of microseconds, which is the unit of the database.
      const limit = fc.record({
        calls: fc.constantFrom(1, 2, 5, 8, 100, 1_000, 20_000),
        per: fc.constantFrom<Limit['per']>('second', 'minute', 'hour', 'day'),
        burst: fc.constantFrom(undefined, 0.5, 1, 1.5, 3, 250),
      })
      const step = fc.record({
        keys: fc.array(fc.constantFrom('one', 'two', 'three'), { minLength: 1, maxLength: 12 }),
        // Multiples of the time per call, so that moments are close to the limits and exactly on them.
        later: fc.oneof(fc.constantFrom(0, 1, 2, 0.5, 1e-6), fc.double({ min: 0, max: 300, noNaN: true })),
      })
      let run = 0
      await fc.assert(
        fc.asyncProperty(limit, fc.array(step, { minLength: 1, maxLength: 12 }), async ({ burst, ...rate }, steps) => {
          const limit: Limit = { ...rate, ...(burst !== undefined && { burst }) }
          const each = Number(microsecondsOf(limit)[0])
          const memory = memoryLimits()
          const name = `run ${++run}`
          let now = 0
          for (const { keys, later } of steps) {
            now += Math.round(later * each)
            await pool.query(`SELECT set_config('set_clock.now', $1, false)`, [String(now)])
            const takes = keys.map((key) => Promise.resolve(limits.take(`${name} ${key}`, limit, 0)))
            const waits = await Promise.all(takes)
            for (const [at, key] of keys.entries()) {
              const expected = Number(await memory.take(key, limit, now / 1_000))
              expect([key, Math.round((waits[at] ?? Number.NaN) * 1_000)]).toEqual([key, Math.round(expected * 1_000)])
            }
          }
        }),
        { numRuns: howMany(20, 2_000) },
      )
    } finally {
      await pools.close()
      await server.close()
    }
  })

  it.runIf(postgresFound)('accept keys of any length and with any characters, and keep them apart', async () => {
    const server = await postgresServer()
    const pools = replicaPools(await server.database())
    try {
      const changes: unknown[] = []
      const { limits } = postgresStores(pools.pool(), {
        replicas: 1,
        withinMs: 20_000,
        onChange: (change) => changes.push(change),
      })
      const long = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join('')
      const keys = ['a\0b', 'a\\0b', 'a\\\\0b', 'ab', '\u{1F600}', '', long, `${long}!`]
      for (const key of keys) expect([key.slice(0, 9), await limits.take(key, limit, 0)]).toEqual([key.slice(0, 9), 0])
      for (const key of keys) expect(await limits.take(key, limit, 0)).toBeGreaterThan(3_500_000)
      expect(changes).toEqual([])
    } finally {
      await pools.close()
      await server.close()
    }
  })

  it.runIf(postgresFound)('are requested in one statement for concurrent calls, and each call gets its own result', async () => {
    const server = await postgresServer()
    const pools = replicaPools(await server.database())
    try {
      let statements = 0
      const stores = await Promise.all(
        [1, 2].map(async () => {
          const pool = pools.pool()
          const counted = {
            query(text: string, values?: unknown[]) {
              statements++
              return pool.query(text, values)
            },
          }
          const { limits, migrate } = postgresStores(counted, { replicas: 1, withinMs: 20_000 })
          await migrate()
          return limits
        }),
      )
      statements = 0
      const allowances = { one: 1, ten: 10, forty: 40, none: 0.5 }
      const takes = Object.entries(allowances).flatMap(([key, burst]) =>
        Array.from({ length: 80 }, (_, at) =>
          Promise.resolve(stores[at % 2]?.take(key, { calls: 100, per: 'day', burst }, 0)).then((wait) => ({
            key,
            wait: Number(wait),
          })),
        ),
      )
      const taken = await Promise.all(takes)
      const granted = (key: string) => taken.filter((one) => one.key === key && one.wait === 0).length
      expect(Object.keys(allowances).map(granted)).toEqual([1, 10, 40, 0])
      for (const { wait } of taken) expect(wait === 0 || (wait > 400_000 && wait <= 864_000)).toBe(true)
      // Of each key the first call runs alone and the others together; old rows are also removed.
      expect(statements).toBeLessThan(30)
    } finally {
      await pools.close()
      await server.close()
    }
  })

  it.runIf(postgresFound)('write nothing for a refused call, and remove refilled rows', async () => {
    const server = await postgresServer()
    const pools = replicaPools(await server.database())
    try {
      const pool = pools.pool()
      const { limits, migrate } = postgresStores(pool, { replicas: 1, withinMs: 20_000 })
      await migrate()
      await limits.take('scarce', limit, 0)
      for (let at = 0; at < 50; at++) await limits.take(`short ${at}`, { calls: 100, per: 'second' }, 0)
      const writes = async () => (await pool.query('SELECT txid_snapshot_xmax(txid_current_snapshot())::text AS id')).rows[0]?.id
      const before = await writes()
      for (let at = 0; at < 20; at++) expect(await limits.take('scarce', limit, 0)).toBeGreaterThan(0)
      expect(await writes()).toBe(before)

      await pause(20)
      // Another process starts, and its first statement removes old rows.
      const other = postgresStores(pools.pool(), { replicas: 1, withinMs: 20_000 })
      await other.limits.take('scarce', limit, 0)
      const count = async () => (await pool.query('SELECT count(*)::int AS n FROM toolwire.shared_limits')).rows[0]?.n
      await expect.poll(count).toBe(1)
    } finally {
      await pools.close()
      await server.close()
    }
  })
})
