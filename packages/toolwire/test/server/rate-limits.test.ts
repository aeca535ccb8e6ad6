// Rate limits of calls and lists, as clients of every revision see them.
import { type Limit, type ServerOptions, server, tool } from 'toolwire'
import { type LimitStore, memoryLimits } from 'toolwire/guard'
import { listen } from 'toolwire/node'
import { type Harness, harness } from 'toolwire/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ServerLimits, ToolSet } from '../../src/server/options.js'
import { every } from '../revisions.js'
import '../reported-faults.js'
import { judged } from '../official-schemas.js'
import { soaking } from '../soak.js'
import { call, selfDescribing } from '../transports/fixture.js'
import { both, Client, HttpPeer, mirrored, type Received } from '../transports/peers.js'

const work = tool({ description: 'Works', run: () => 'done' })
const own = tool({ description: 'Has a limit of its own', limit: { calls: 1, per: 'hour' }, run: () => 'done' })
type Most = Partial<ServerLimits> & { rate?: Limit | false }
const guarded = ({ rate, ...limits }: Most) => ({
  limits,
  ...(rate !== undefined && { guard: { rateLimit: rate && { tool: rate } } }),
})
const shop = (most: Most = {}, options: Partial<ServerOptions<ToolSet>> = {}) =>
  server({ name: 'shop', version: '1', tools: { work, own }, ...guarded(most), ...options })
const ada = { caller: { id: 'ada', scopes: [] } }
const bob = { caller: { id: 'bob', scopes: [] } }
const anonymousCaller = { caller: { id: 'anonymous', scopes: [], anonymous: true } }

type Calling = Pick<Harness<ToolSet>, 'call' | 'request'>
const refusedOf = async (t: Calling, calls: number) =>
  (await Promise.all(Array.from({ length: calls }, () => t.call('work')))).filter(({ isError }) => isError).length
const refusedLists = async (t: Calling, asked: number, method = 'tools/list') => {
  const all = await Promise.allSettled(Array.from({ length: asked }, () => t.request(method)))
  return all.filter(({ status }) => status === 'rejected').length
}

const perMinute = { calls: 60, per: 'minute' } as const
const crowd = { queue: 10_000, rate: perMinute, lists: perMinute }

/** The last few of the given number of calls; a soak makes all of them. */
const lastOf = (calls: number) => (soaking ? calls : 3)

/** A limit store from which the given number of calls was already taken, except for the last few. */
function limitStoreAfter(calls: number): LimitStore {
  const { take } = memoryLimits()
  const begun = new Set<string>()
  return {
    take(key, limit, now) {
      if (!begun.has(key)) for (let left = calls; left > lastOf(calls); left--) take(key, limit, now)
      begun.add(key)
      return take(key, limit, now)
    },
  }
}

// Time stands still, so that no allowance refills.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('a server with a limit for all tools and lists', () => {
  it('SECS-003 accepts 60 calls of one tool from one caller, and refuses the next', async () => {
    const app = shop(crowd)
    expect(await refusedOf(await judged(app, ada), 70)).toBe(10)
    expect(await refusedOf(await judged(app, bob), 10)).toBe(0)
  })

  it('SECS-003 accepts ten times as many from all anonymous callers together', async () => {
    expect(await refusedOf(await harness(shop(crowd), anonymousCaller), 610)).toBe(10)
  })

  it('accepts 60 requests of each list from one caller', async () => {
    const t = await judged(shop(crowd), ada)
    expect(await refusedLists(t, 65)).toBe(5)
  })

  it('is unlimited if this is disabled, except for the limit of a tool', async () => {
    const unlimited = { queue: 10_000, rate: false, lists: false } as const
    const t = await judged(shop(unlimited, { limitStore: limitStoreAfter(3_000) }), ada)
    const calls = lastOf(3_000) + 10
    expect([await refusedOf(t, calls), await refusedLists(t, calls)]).toEqual([0, 0])
    const other = await judged(shop(unlimited), ada)
    expect([(await other.call('own')).isError, (await other.call('own')).isError]).toEqual([false, true])
  })
})

describe('a server with default limits', () => {
  type Fetched = Pick<ReturnType<typeof shop>, 'fetch'>
  /** Returns which of the sequential requests were refused. */
  async function tooMany(app: Fetched, times: number, message: { method: string; params?: object }) {
    const refused: number[] = []
    for (let id = 1; id <= times; id++) {
      const sent = selfDescribing({ jsonrpc: '2.0', id, ...message })
      const headers = { accept: both, 'content-type': 'application/json', host: 'localhost', ...mirrored(sent) }
      const response = await app.fetch(
        new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(sent) }),
      )
      if ((await response.text()).includes('too often')) refused.push(id)
    }
    return refused
  }

  it('SECS-003 accepts 3,000 calls of a tool in a minute from a caller over HTTP, and as many requests of each list', async () => {
    const http = { authenticate: () => ada.caller }
    const app = server({ name: 'shop', version: '1', tools: { work }, http, limitStore: limitStoreAfter(3_000) })
    const { method, params } = call(0, 'work')
    const most = lastOf(3_000)
    expect(await tooMany(app, most + 2, { method, params })).toEqual([most + 1, most + 2])
    expect(await tooMany(app, most + 1, { method: 'tools/list' })).toEqual([most + 1])
  })

  it('SECS-003 accepts ten times as many from all anonymous callers together', async () => {
    const t = await harness(shop({ queue: 40_000 }, { limitStore: limitStoreAfter(30_000) }), anonymousCaller)
    const most = lastOf(30_000)
    expect([await refusedOf(t, most + 2), await refusedLists(t, most + 1)]).toEqual([2, 1])
  })

  it('does not limit a program on a pipe or in this process by default', async () => {
    const most = lastOf(3_000)
    const through = async (limits: Most) => {
      const t = await harness(shop({ queue: 10_000, ...limits }, { limitStore: limitStoreAfter(3_000) }))
      return [await refusedOf(t, most + 10), await refusedLists(t, most + 10)]
    }
    expect(await through({})).toEqual([0, 0])
    const limit = { calls: 3_000, per: 'minute' } as const
    expect(await through({ rate: limit, lists: limit })).toEqual([10, 10])
  })
})

describe('configured limits', () => {
  it('have a burst, which is the number of simultaneous calls', async () => {
    expect(await refusedOf(await judged(shop({ rate: { calls: 60, per: 'minute', burst: 5 } }), ada), 9)).toBe(4)
  })

  it('count lists separately, by caller and by list', async () => {
    const app = shop({ lists: { calls: 3, per: 'minute' } }, { prompts: {} })
    const t = await judged(app, ada)
    expect(await refusedLists(t, 4)).toBe(1)
    expect(await refusedOf(t, 4)).toBe(0)
    expect(await refusedLists(await judged(app, bob), 3)).toBe(0)
  })

  it.each([
    { rate: { calls: 0, per: 'minute' } },
    { rate: { calls: Number.NaN, per: 'minute' } },
    { lists: { calls: 1, per: 'fortnight' } },
    { lists: { calls: 1, per: 'minute', burst: 0 } },
  ])('may not be %j', (limits) => {
    expect(() => shop(limits as Most)).toThrow(/[lL]imit/)
  })

  it.each([
    { calls: 1.5, per: 'minute' },
    { calls: 1, per: 'year' },
    { calls: 1, per: 'minute', burst: -1 },
  ])('of a tool may not be %j', (limit) => {
    expect(() => tool({ limit: limit as Limit, run: () => '' })).toThrow(/`limit` cannot have/)
  })

  it('use the store, which replicas share', async () => {
    const taken: string[] = []
    const store: LimitStore = {
      take: async (key) => {
        taken.push(key)
        return taken.length > 3 ? 5_000 : 0
      },
    }
    const [one, other] = [
      await judged(shop(crowd, { limitStore: store }), ada),
      await judged(shop(crowd, { limitStore: store }), ada),
    ]
    expect(await refusedOf(one, 1)).toBe(0)
    expect(await refusedOf(other, 1)).toBe(0)
    expect(await refusedLists(one, 1)).toBe(0)
    expect(await refusedLists(other, 1)).toBe(1)
    expect((await other.call('work')).content).toMatchObject([{ text: expect.stringMatching(/again in 5 s$/) }])
    expect(new Set(taken).size).toBe(2)
  })

  it.each(['throws', 'gives nonsense'])('refuse all calls if the store %s', async (how) => {
    const store: LimitStore = {
      take: () => {
        if (how === 'throws') throw new Error('broken')
        return Number.NaN
      },
    }
    let runs = 0
    const count = tool({ run: () => String(++runs) })
    const t = await judged(server({ name: 'shop', version: '1', tools: { count }, ...guarded(crowd), limitStore: store }), ada)
    const ended = await t.call('count').then(
      ({ isError }) => isError,
      () => 'an error',
    )
    expect(ended).not.toBe(false)
    expect(runs).toBe(0)
  })
})

describe.each(every)('over HTTP, at %s', (revision) => {
  const limits = { rate: { calls: 1, per: 'hour' }, lists: { calls: 1, per: 'hour' } } as const

  async function asked(message: { id?: unknown }): Promise<{ answer: Received | undefined; response: Response | undefined }> {
    const listening = await listen(shop(limits), { signals: false, authenticate: () => ada.caller })
    let response: Response | undefined
    const peer = new HttpPeer(listening.url, async (request) => {
      response = await fetch(request)
      return response
    })
    try {
      const client = await Client.open(peer, revision)
      await client.request(message)
      const answer = (await client.request({ ...message, id: 2 })).at(-1)
      return { answer, response }
    } finally {
      await listening.close()
    }
  }

  it('SECS-003 a call beyond the limit returns a result that names the time for a retry', async () => {
    const { answer, response } = await asked(call(1, 'work'))
    expect(response?.status).toBe(200)
    expect(answer?.result).toMatchObject({
      isError: true,
      content: [{ text: 'work has been called too often (more than once an hour); try again in 3600 s' }],
    })
  })

  it('a list request beyond the limit is refused, with the time for a retry', async () => {
    const { answer, response } = await asked({ jsonrpc: '2.0', id: 1, method: 'tools/list' } as { id: number })
    expect(answer?.error).toMatchObject({ code: 429, data: { retryAfterMs: expect.any(Number) } })
    expect(response?.headers.get('retry-after')).toBe('3600')
    expect(response?.status).toBe(revision === '2026-07-28' ? 429 : 200)
  })
})
