import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisLimits } from '../../../src/redis.js'
import type { Limit } from '../../../src/tools/tool.js'
import { type RedisServer, redisFound, redisServer } from '../../redis-server.js'
import { limitStoreSuite } from './limit-store-suite.js'

type RedisClient = Parameters<typeof redisLimits>[0]

const ignored = () => undefined // a client without a listener for errors ends the process

const open: { destroy(): void }[] = []
let count = 0
const freshKey = () => `redis ${++count}`

async function clientOf({ url }: RedisServer) {
  const made = createClient({ url }).on('error', ignored)
  open.push(made)
  return made.connect()
}

function suite(): void {
  limitStoreSuite(async () => {
    const redis = await redisServer()
    return {
      ...redis,
      store: async (options) => redisLimits(await clientOf(redis), options),
      unreachable(options) {
        const stuck = createClient({ url: 'redis://127.0.0.1:1' }).on('error', ignored)
        open.push(stuck)
        stuck.connect().catch(ignored)
        return redisLimits(stuck, options)
      },
      close: () => redis.kill(),
    }
  })

  describe('limits in Redis', () => {
    let redis: RedisServer
    const client = () => clientOf(redis)
    beforeAll(async () => {
      redis = await redisServer()
    })
    afterAll(async () => {
      for (const one of open) one.destroy()
      await redis.kill()
    })

    it('leave no keys behind after they have refilled', async () => {
      const raw = await client()
      const store = redisLimits(raw, { replicas: 1, prefix: 'shop:' })
      await store.take('short', { calls: 20, per: 'second' }, 0)
      expect(await raw.pTTL('shop:short')).toBeLessThanOrEqual(51)
      await expect.poll(() => raw.exists('shop:short')).toBe(0)
    })

    it('survive a server that has lost the script, and send it only then', async () => {
      const raw = await client()
      const sent: string[] = []
      const watched: RedisClient = {
        sendCommand: (command) => {
          sent.push(command[0] ?? '')
          return raw.sendCommand(command)
        },
      }
      const store = redisLimits(watched, { replicas: 1 })
      await raw.scriptFlush()
      const key = freshKey()
      const limit: Limit = { calls: 2, per: 'hour' }
      expect([await store.take(key, limit, 0), await store.take(key, limit, 0)]).toEqual([0, 0])
      expect(await store.take(key, limit, 0)).toBeGreaterThan(1_000_000)
      expect(sent).toEqual(['EVALSHA', 'EVAL', 'EVALSHA', 'EVALSHA'])
    })

    it('work with a client that only has `eval`', async () => {
      const raw = await client()
      const store = redisLimits({ eval: (text, options) => raw.eval(text, options) }, { replicas: 1 })
      const key = freshKey()
      const limit: Limit = { calls: 1, per: 'minute' }
      expect([await store.take(key, limit, 0), (await store.take(key, limit, 0)) > 50_000]).toEqual([0, true])
    })
  })
}

describe.runIf(redisFound)('in a Redis server', suite)

it.each([-1, 0.5, Number.NaN])('refuses %j replicas', (replicas) => {
  expect(() => redisLimits({ sendCommand: async () => 0 }, { replicas })).toThrow(/`replicas: .*whole number, 0 or more/)
})

it.each([
  0,
  () => 0,
  () => Number.NaN,
])('grants nothing locally while %s replicas share an unavailable store', async (replicas) => {
  const store = redisLimits({ sendCommand: () => Promise.reject(new Error('away')) }, { replicas })
  await expect(store.take('key', { calls: 1, per: 'hour' }, 0)).rejects.toMatchObject({ reason: 'busy' })
})

describe('an invalid answer of a store', () => {
  it.each([undefined, null, true, '', 'soon', -1, Number.NaN, [], {}])('such as %j is no permission', async (answer) => {
    const store = redisLimits({ sendCommand: async () => answer }, { replicas: 1 })
    const limit: Limit = { calls: 1, per: 'hour' }
    expect(await store.take('key', limit, 0)).toBe(0)
    expect(await store.take('key', limit, 0)).toBeGreaterThan(0)
  })
})
