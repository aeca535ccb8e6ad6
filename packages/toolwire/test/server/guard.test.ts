// Replacing the guard of a running server, and the identity of the peer of a call.
import { describe, expect, it } from 'vitest'
import { connect } from '../../src/client/index.js'
import { approvalQueue, memoryApprovals, memoryAudit, type Policy } from '../../src/guard.js'
import { type Context, Refusal, server, tool } from '../../src/index.js'
import { harness } from '../../src/testing/index.js'

const quiet = { audit: false } as const

function held() {
  const open: (() => void)[] = []
  const app = server({
    name: 'shop',
    version: '1.0.0',
    guard: quiet,
    tools: {
      pay: tool({ description: 'Pays', run: () => 'paid' }),
      wait: tool({
        description: 'Waits',
        hints: { readOnly: true },
        run: async () => {
          await new Promise<void>((resolve) => open.push(resolve))
          return 'waited'
        },
      }),
    },
  })
  return { app, open }
}

describe('a replaced guard', () => {
  it('applies to later calls, and pending calls end under the guard they began with', async () => {
    const { app } = held()
    const store = memoryApprovals()
    app.guard({ guard: { ...quiet, approve: { ask: approvalQueue(store) } } })
    const t = await harness(app)
    const asked = t.call('pay')
    await expect.poll(() => store.pending()).toHaveLength(1)
    app.guard({ guard: quiet })
    expect((await t.call('pay')).content).toEqual([{ type: 'text', text: 'paid' }])
    const [waiting] = await store.pending()
    await store.decide(waiting?.id ?? '', { deny: 'no' })
    const refused = await asked
    expect([refused.isError, JSON.stringify(refused.content)]).toEqual([true, expect.stringContaining('no')])
  })

  it('applies to tools that are being registered, and to tools that are kept', async () => {
    const { app } = held()
    const pay = tool({ description: 'Pays', run: () => 'paid' })
    const refusing: Policy = { name: 'refusing', call: () => Promise.reject(new Refusal('forbidden', 'Closed for today')) }
    function* entries() {
      yield ['pay', pay] as const
      yield ['refund', pay] as const
      expect(app.tools.names).toEqual(['pay'])
      app.guard({ guard: quiet, policies: [refusing] })
      yield ['last', pay] as const
    }
    app.tools.set([['pay', pay]])
    await app.tools.setInTurns(entries())
    const t = await harness(app)
    const closed = async () => Promise.all(app.tools.names.map(async (name) => JSON.stringify(await t.call(name as 'pay'))))
    expect(await closed()).toEqual([1, 2, 3].map(() => expect.stringContaining('Closed for today')))
    app.guard({ guard: quiet })
    expect(await closed()).toEqual([1, 2, 3].map(() => expect.stringContaining('paid')))
  })

  it('brings its own audit log', async () => {
    const { app } = held()
    const log = memoryAudit()
    expect(app.audit).toBeUndefined()
    app.guard({ guard: { audit: { log } } })
    expect(app.audit).toBe(log)
    await (await harness(app)).call('pay')
    expect(log.head?.sequence).toBeGreaterThan(0)
  })

  it('may hide tools, and clients are notified', async () => {
    const { app } = held()
    await using client = await connect(app, { revision: '2025-11-25' })
    expect(await client.listTools()).toHaveLength(2)
    const change = new Promise((resolve) => client.onChange(resolve))
    app.guard({ guard: quiet, policies: [{ name: 'nothing', list: () => [] }] })
    await change
    expect(await client.listTools({ fresh: true })).toEqual([])
  })

  it('may change the concurrency limit; calls under the old guard count towards its own limit', async () => {
    const { app, open } = held()
    const t = await harness(app)
    const first = t.call('wait')
    await expect.poll(() => open).toHaveLength(1)
    app.guard({ guard: quiet, limits: { inFlight: 1, queue: 0 } })
    const second = t.call('wait')
    await expect.poll(() => open).toHaveLength(2)
    await expect(t.call('wait')).rejects.toMatchObject({ code: 429 })
    open[0]?.()
    await first
    await expect(t.call('wait')).rejects.toMatchObject({ code: 429 })
    app.guard({ guard: quiet })
    let drained = false
    const draining = app['~application'].drain(5_000).then(() => {
      drained = true
    })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(drained).toBe(false)
    open[1]?.()
    await Promise.all([second, draining])
  })

  it('has its own limits for lists', async () => {
    const { app } = held()
    await using client = await connect(app)
    for (const _ of [1, 2, 3]) await client.listTools({ fresh: true })
    app.guard({ guard: quiet, limits: { lists: { calls: 1, per: 'hour' } } })
    await client.listTools({ fresh: true })
    await expect(client.listTools({ fresh: true })).rejects.toThrow('too often')
  })

  it('is refused if the server was declared unchangeable', () => {
    const app = server({
      name: 'shop',
      version: '1.0.0',
      fixed: true,
      tools: { pay: tool({ description: 'Pays', run: () => '' }) },
    })
    expect(() => app.guard({ guard: quiet })).toThrow('fixed')
  })
})

describe('the peer of a call', () => {
  const peers: (object | undefined)[] = []
  const app = server({
    name: 'shop',
    version: '1.0.0',
    guard: quiet,
    tools: { look: tool({ description: 'Looks', run: (_: unknown, { peer }: Context) => String(peers.push(peer)) }) },
  })

  it.each(['2025-11-25', '2026-07-28'])('is the same for one pipe in %s, and differs for another pipe', async (revision) => {
    peers.length = 0
    await using one = await connect(app, { revision })
    await using other = await connect(app, { revision })
    for (const client of [one, one, other]) await client.call('look')
    expect(peers[0]).toBeTypeOf('object')
    expect(peers[1]).toBe(peers[0])
    expect(peers[2]).not.toBe(peers[0])
  })
})
