import fc from 'fast-check'
import { prompt, resource, server, tool } from 'toolwire'
import { memoryAudit, type Policy } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { every } from '../../revisions.js'
import { call } from '../lines.js'

const marked = 'notifications/cancelled'
const turn = () => new Promise((resolve) => setImmediate(resolve))
const turns = async (count: number) => {
  for (let at = 0; at < count; at++) await turn()
}

/** A server with a tool that runs until it is stopped, and sends messages even after that. */
function shop() {
  const seen: { signal?: AbortSignal; stopped: number } = { stopped: 0 }
  const work = tool({
    run: async (_, ctx) => {
      seen.signal = ctx.signal
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      seen.stopped++
      ctx.progress(99)
      ctx.log.error('stopped')
      return 'too late'
    },
  })
  const quick = tool({ run: () => 'done' })
  return { seen, app: server({ name: 'shop', version: '1', tools: { work, quick }, logging: true }) }
}

/** The id of the last request from the harness. */
const lastId = (t: { frames: readonly { from: string; message: Record<string, unknown> }[] }) =>
  t.frames.findLast(({ from, message }) => from === 'client' && message.id !== undefined)?.message.id as number

const answersTo = (t: { frames: readonly { from: string; message: Record<string, unknown> }[] }, id: unknown) =>
  t.frames.filter(({ from, message }) => from === 'server' && message.id === id && !('method' in message))

describe.each(every)('cancelling at %s', (revision) => {
  it('CANC-005 CANC-006 stops the work, and sends no further messages about it', async () => {
    const { app, seen } = shop()
    const t = await judged(app, { revision, logLevel: 'debug' })
    void t.call('work', {}, { meta: { progressToken: 'p' } })
    await turns(3)
    const requestId = lastId(t)
    t.notify(marked, { requestId, reason: 'changed my mind' })
    await turns(5)
    expect(seen).toMatchObject({ stopped: 1, signal: { aborted: true } })
    expect(answersTo(t, requestId)).toEqual([])
    expect(t.heard()).toEqual([])
  })

  it('CANC-005 works with objects that imitate an AbortSignal, and creates none', async () => {
    const observed: unknown[] = []
    const work = tool({
      run: async (_, { cancelToken: stopping }) => {
        await new Promise<void>((resolve) => stopping.addEventListener('abort', resolve))
        observed.push(stopping.aborted, stopping instanceof AbortSignal)
        return 'too late'
      },
    })
    const t = await judged(server({ name: 'shop', version: '1', tools: { work } }), { revision })
    void t.call('work')
    await turns(3)
    t.notify(marked, { requestId: lastId(t) })
    await turns(5)
    expect(observed).toEqual([true, false])
  })

  it('CANC-005 frees the slot of the call', async () => {
    const work = tool({ run: (_, { signal }) => new Promise<string>((_, reject) => signal.addEventListener('abort', reject)) })
    const quick = tool({ run: () => 'done' })
    const app = server({ name: 'shop', version: '1', tools: { work, quick }, limits: { inFlight: 1 } })
    const t = await judged(app, { revision })
    void t.call('work')
    await turns(3)
    const waiting = t.call('quick')
    t.notify(marked, { requestId: lastId(t) - 1 })
    expect((await waiting).isError).toBe(false)
  })

  it('CANC-005 makes no call whose policies are not done yet, and records it as cancelled', async () => {
    const ran: string[] = []
    let letThrough!: () => void
    const checked = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    const slow: Policy = { name: 'slow', call: (call, next) => checked.then(() => next(call)) }
    const log = memoryAudit()
    const work = tool({ description: 'Works.', run: () => `${ran.push('work')}` })
    const app = server({ name: 'shop', version: '1', tools: { work }, policies: [slow], guard: { audit: { log } } })
    const t = await judged(app, { revision })
    void t.call('work')
    await turns(3)
    t.notify(marked, { requestId: lastId(t) })
    await turns(3)
    letThrough()
    await turns(5)
    expect(ran).toEqual([])
    expect(JSON.parse(log.entries().at(-1)?.text ?? '')).toMatchObject({ outcome: 'cancelled' })
    expect(faults).toEqual([])
  })

  it.each([
    ['resources/read', { uri: 'r:1' }],
    ['prompts/get', { name: 'p' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
  ])('CANC-005 asks no handler for a %s that is cancelled while its rate limit is looked up', async (method, params) => {
    const ran: string[] = []
    const run = () => `${ran.push(method)}`
    const waiting: ((waitMs: number) => void)[] = []
    const limitStore = { take: () => new Promise<number>((resolve) => void waiting.push(resolve)) }
    const app = server({
      name: 'notes',
      version: '1',
      tools: {},
      limitStore,
      limits: { reads: { calls: 5, per: 'hour' } },
      resources: { r: resource({ uri: 'r:1', read: run }) },
      prompts: { p: prompt({ args: { a: { complete: () => [run()] } }, run }) },
    })
    const t = await judged(app, { revision })
    void t.request(method, params)
    await turns(3)
    t.notify(marked, { requestId: lastId(t) })
    await turns(3)
    while (waiting.length > 0) {
      for (const answer of waiting.splice(0)) answer(0)
      await turns(5)
    }
    expect(ran).toEqual([])
    expect(faults).toEqual([])
  })

  it('CANC-005 makes no call that is cancelled as its turn comes, and frees its place', async () => {
    const ran: unknown[] = []
    const stuck = tool({
      description: 'Ignores that it is stopped.',
      run: (_, { meta }) => {
        ran.push(meta.name)
        return meta.name === 'last' ? 'done' : new Promise<string>(() => undefined)
      },
    })
    const app = server({ name: 'shop', version: '1', tools: { stuck }, guard: { concurrency: { all: 1 } } })
    const t = await judged(app, { revision })
    for (const name of ['first', 'second']) void t.call('stuck', {}, { meta: { name } })
    await turns(3)
    const id = lastId(t)
    // Both arrive before the event loop has turned.
    for (const requestId of [id - 1, id]) t.notify(marked, { requestId })
    await turns(3)
    expect((await t.call('stuck', {}, { meta: { name: 'last' } })).isError).toBe(false)
    expect(ran).toEqual(['first', 'last'])
  })

  it.each([
    [{}],
    [{ requestId: null }],
    [{ requestId: 4711 }],
    [{ requestId: '2' }],
    [{ requestId: {} }],
    [{ requestId: [2], reason: 7 }],
    [{ requestId: 2.5, reason: null }],
  ])('CANC-007 with the params %j is ignored', async (params) => {
    const { app, seen } = shop()
    const t = await judged(app, { revision, lenient: true })
    void t.call('work')
    await turns(3)
    t.notify(marked, params as never)
    t.notify(marked)
    await turns(3)
    expect(seen).toMatchObject({ stopped: 0, signal: { aborted: false } })
    expect(t.heard()).toEqual([])
    expect((await t.call('quick')).isError).toBe(false)
  })

  it('CANC-007 is ignored if it comes too late', async () => {
    const t = await judged(shop().app, { revision })
    await t.call('quick')
    const before = t.frames.length
    t.notify(marked, { requestId: lastId(t) })
    await turns(3)
    expect(t.frames.length).toBe(before + 1)
    expect((await t.call('quick')).isError).toBe(false)
  })

  it('CANC-008 causes one response or none, whichever is first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 8 }), async (races) => {
        const wait = tool({ run: (_, ctx) => turns(Number(ctx.meta.turns)).then(() => 'done') })
        const t = await judged(server({ name: 'shop', version: '1', tools: { wait } }), { revision })
        const ids = races.map(([work, cancel]) => {
          void t.call('wait', {}, { meta: { turns: work } })
          const requestId = lastId(t)
          void turns(cancel).then(() => t.notify(marked, { requestId }))
          return requestId
        })
        await turns(8)
        for (const [at, id] of ids.entries()) {
          const [work, cancel] = races[at] as [number, number]
          expect(answersTo(t, id).length).toBeLessThanOrEqual(1)
          if (cancel > work + 1) expect(answersTo(t, id).length).toBe(1)
        }
        expect((await t.call('wait', {}, { meta: { turns: 0 } })).isError).toBe(false)
      }),
      { numRuns: 15 },
    )
  })

  it('CANC-010 passes on the reason without characters that could break a log', async () => {
    const { app, seen } = shop()
    const t = await judged(app, { revision })
    void t.call('work')
    await turns(3)
    t.notify(marked, {
      requestId: lastId(t),
      reason: `bored\r\nERROR admin logged in \u001b[2J\u009b31m\u2028${'x'.repeat(5_000)}`,
    })
    const reason = String(seen.signal?.reason)
    expect(reason).toContain('bored ERROR admin logged in')
    expect(reason).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
    expect(reason.length).toBeLessThan(300)
  })
})

it('CANC-006 at 2026-07-28 no message follows a cancellation, in a hundred concurrent calls', async () => {
  const chatter = tool({
    run: async (_, ctx) => {
      for (let step = 1; step < 200; step++) {
        ctx.progress(step)
        ctx.log.info(step)
        await turn()
      }
      return 'done'
    },
  })
  const app = server({ name: 'shop', version: '1', tools: { chatter }, logging: true })
  const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' }
  const cut = async (_: unknown, at: number) => {
    const posted = call(app, 'chatter', { _meta: meta })
    await turns(at % 20)
    posted.cancel()
    const sentBefore = posted.stream.length
    expect(await posted.answer).toBeUndefined()
    expect(posted.stream.length).toBe(sentBefore)
  }
  await Promise.all(Array.from({ length: 100 }, cut))
})
