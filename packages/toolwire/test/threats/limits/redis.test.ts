// Eight simultaneous clients of a real Redis server with different clocks.
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LimitStore } from '../../../src/policy/rate-limit/store.js'
import { redisLimits } from '../../../src/redis.js'
import type { Limit } from '../../../src/tools/tool.js'
import { type RedisServer, redisFound, redisServer } from '../../redis-server.js'

const many = 8
const skews = [0, 1, -1, 3_600_000, -3_600_000, 1e12, -1e12, 2 ** 52]

/** Calls without pauses until the time is over, and returns the number of admitted calls. */
async function hammer(
  store: LimitStore,
  { key, limit, skew, until }: { key: string; limit: Limit; skew: number; until: number },
) {
  let through = 0
  while (performance.now() < until) {
    const waits = await Promise.all(Array.from({ length: 20 }, () => store.take(key, limit, Date.now() + skew)))
    through += waits.filter((waitMs) => waitMs === 0).length
  }
  return through
}

describe.runIf(redisFound)('eight clients with one allowance', () => {
  let redis: RedisServer
  const open: { destroy(): void }[] = []
  let stores: LimitStore[]

  beforeAll(async () => {
    redis = await redisServer()
    const connected = Array.from({ length: many }, async () => {
      const client = await createClient({ url: redis.url })
        .on('error', () => undefined)
        .connect()
      open.push(client)
      // A long timeout, because a replica that falls back has its own share.
      return redisLimits(client, { replicas: many, withinMs: 20_000 })
    })
    stores = await Promise.all(connected)
  })
  afterAll(async () => {
    for (const one of open) one.destroy()
    await redis?.kill()
  })

  const together = (key: string, limit: Limit, ms: number) =>
    Promise.all(stores.map((store, at) => hammer(store, { key, limit, skew: skews[at] ?? 0, until: performance.now() + ms })))
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

  it.each([
    { calls: 1, per: 'hour' },
    { calls: 7, per: 'hour' },
    { calls: 100, per: 'day' },
    { calls: 60, per: 'hour', burst: 3 },
  ] as const)('SECS-003 get exactly the burst of %j, whatever their clocks say', async (limit) => {
    expect(sum(await together(JSON.stringify(limit), limit, 300))).toBe('burst' in limit ? limit.burst : limit.calls)
  })

  it.each([
    { calls: 50, per: 'second', burst: 5 },
    { calls: 333, per: 'second', burst: 1 },
    { calls: 1_200, per: 'minute', burst: 20 },
  ] as const)('SECS-003 get at most what %j allows in the elapsed time, and no less', async (limit) => {
    const start = performance.now()
    const through = sum(await together(JSON.stringify(limit), limit, 1_000))
    const each = { second: 1_000, minute: 60_000 }[limit.per] / limit.calls
    // Two milliseconds for the difference between the clocks of the server and this process.
    expect(through).toBeLessThanOrEqual(limit.burst + (performance.now() - start + 2) / each)
    expect(through).toBeGreaterThan(limit.burst)
  })
})
