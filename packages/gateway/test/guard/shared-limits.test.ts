// Gateways that share limits in Redis or PostgreSQL: one allowance for all, and a part for each during an outage.

import { join } from 'node:path'
import { createClient } from 'redis'
import type { Client } from 'toolwire/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { type RedisServer, redisFound, redisServer } from '../../../toolwire/test/redis-server.js'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { countGateways } from '../../src/guard/limits/gateway-count.js'
import { newPostgresStore } from '../support/postgres-stores.js'
import {
  ask,
  child,
  client,
  folder,
  program,
  started,
  storeIn,
  until,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'

const notes = () => upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })
/** Local programs without credentials are one caller. */
const allowed = 20
const rate = { calls: allowed, per: 'hour' } as const

async function redis(): Promise<RedisServer> {
  const redis = await redisServer()
  onTestFinished(() => redis.kill().catch(() => undefined))
  return redis
}

async function gatewayAt(redisUrl: string) {
  const gateway = await started({ upstreams: [notes()], guard: { ...defaultGuard, approvals: false, rate }, redisUrl })
  return { gateway, one: await client(gateway.url) }
}

/** Waits until both gateways have sent a heartbeat and know about each other. */
async function bothCounted(url: string): Promise<void> {
  const raw = await createClient({ url }).connect()
  onTestFinished(() => raw.destroy())
  raw.on('error', () => undefined) // Redis may be killed while this client is open
  const heartbeats = async () => (await raw.zRangeWithScores('toolwire:gateways', 0, -1)).map(({ score }) => score)
  await expect.poll(async () => (await heartbeats()).length).toBe(2)
  const latest = Math.max(...(await heartbeats()))
  await expect.poll(async () => Math.min(...(await heartbeats()))).toBeGreaterThan(latest)
}

/** The number of gateways that have lost Redis more often. A slow answer on a busy machine makes a gateway grant its own part once. */
const lostMoreThan = (times: number, ...gateways: readonly Awaited<ReturnType<typeof gatewayAt>>[]): number =>
  gateways.filter(({ gateway }) => gateway.log.filter((line) => line.startsWith('Redis cannot be reached')).length > times).length

/** The number of these calls that succeed. */
async function through(one: Client, calls: number, tool = 'notes__read'): Promise<number> {
  const results = await Promise.all(Array.from({ length: calls }, () => one.call(tool)))
  return results.filter((result) => !result.isError).length
}

describe.runIf(redisFound)('two gateways with one Redis', () => {
  it('SECS-003 share one allowance', async () => {
    const { url } = await redis()
    const [first, second] = await Promise.all([gatewayAt(url), gatewayAt(url)])
    const sum = (await through(first.one, 15)) + (await through(second.one, 15))
    const lost = lostMoreThan(0, first, second)
    expect(sum).toBeGreaterThanOrEqual(lost > 0 ? allowed / 2 : allowed)
    expect(sum).toBeLessThanOrEqual(allowed + (lost * allowed) / 2)
    await until(async () => words(await first.one.call('notes__read')).includes('too often'))
  })

  it('SECS-003 grant no more than their parts while it is away, at once, and share again within 5 s of its return', async () => {
    const server = await redis()
    const [first, second] = await Promise.all([gatewayAt(server.url), gatewayAt(server.url)])
    await bothCounted(server.url)
    const before = first.gateway.log.length
    await server.kill()
    const start = performance.now()
    expect(await through(first.one, 30)).toBe(allowed / 2)
    expect(await through(second.one, 30)).toBe(allowed / 2)
    expectWithin(performance.now() - start, 5_000)
    await until(() => first.gateway.log.some((line) => line.startsWith('Redis cannot be reached')))
    expect(first.gateway.log.slice(before).filter((line) => line.startsWith('Redis')).length).toBeLessThanOrEqual(1)
    await server.start()
    const back = performance.now()
    // Each gateway retries Redis with a call, at most once a second, and may grant its own part until then.
    await until(async () => {
      await Promise.all([first, second].map(({ one }) => through(one, 1)))
      const isNoticed = [first, second].every(({ gateway }) => gateway.log.includes('Redis can be reached again'))
      return isNoticed && performance.now() - back > 4_500
    })
    const sum = (await through(first.one, 40, 'notes__pid')) + (await through(second.one, 40, 'notes__pid'))
    const lost = lostMoreThan(1, first, second)
    expect(sum).toBeGreaterThanOrEqual(lost > 0 ? allowed / 2 : allowed)
    expect(sum).toBeLessThanOrEqual(allowed + (lost * allowed) / 2)
  })

  it('SECS-003 still count each other when a Redis without heartbeats comes back', async () => {
    const raw = await createClient({ url: (await redis()).url }).connect()
    onTestFinished(() => raw.destroy())
    const counts: number[][] = [[], []]
    for (const received of counts) onTestFinished(countGateways(raw, (count) => received.push(count)))
    const heartbeats = () => raw.zCard('toolwire:gateways')
    await expect.poll(() => counts.map((received) => received.at(-1))).toEqual([2, 2])
    await raw.del('toolwire:gateways')
    await expect.poll(heartbeats).toBe(2)
    expect(counts.flat()).not.toContain(1)
  })

  it('limit by themselves if it was never available, and lose no approval', async () => {
    const { gateway, one } = await gatewayAt('redis://127.0.0.1:1')
    expect(await through(one, 30)).toBe(allowed)
    expect(gateway.health().status).toBe('ok')
  })

  it('lose no pending call during an outage', async () => {
    const server = await redis()
    const dataDir = join(folder(), 'data')
    const gateway = await started({ upstreams: [notes()], redisUrl: server.url, dataDir }, { store: await storeIn(dataDir) })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
    await until(async () => ((await ask(gateway, '/approvals')).body.approvals as object[]).length === 1)
    await server.kill()
    const { id } = ((await ask(gateway, '/approvals')).body.approvals as { id: string }[])[0] ?? { id: '' }
    expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })).status).toBe(200)
    expect(words(await call)).toBe('written: hi')
    await server.start()
    expect(words(await one.call('notes__read'))).toBe('hi')
  })
})

it.runIf(postgresFound)('SECS-003 three gateways with one store in PostgreSQL share one allowance', async () => {
  const server = await postgresServer()
  onTestFinished(() => server.close())
  const url = await server.database()
  const gateways = await Promise.all(
    [1, 2, 3].map(async () => {
      const store = await newPostgresStore(url)
      const gateway = await started({ upstreams: [notes()], guard: { ...defaultGuard, approvals: false, rate } }, { store })
      return client(gateway.url)
    }),
  )
  const results = await Promise.all(gateways.flatMap((one) => Array.from({ length: 15 }, () => one.call('notes__read'))))
  const granted = results.filter(({ isError }) => !isError).length
  // On a busy machine, a call that was counted is refused if the count comes too late.
  const late = results.filter((one) => one.isError && !words(one).includes('too often')).length
  expect(granted).toBeGreaterThan(0)
  expect(granted).toBeLessThanOrEqual(allowed)
  expect(granted + late).toBeGreaterThanOrEqual(allowed)
})

it('an address of another service than Redis is refused', async () => {
  await expect(gatewayAt('http://127.0.0.1:1')).rejects.toThrow()
})
