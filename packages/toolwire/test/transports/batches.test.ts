// A batch of 2025-03-26 is one message. Its requests together share the time and memory limits of one message.
import fc from 'fast-check'
import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listen } from '../../src/node.js'
import '../reported-faults.js'
import { type Reply, speaking } from '../server/pipe.js'
import { howMany } from '../soak.js'
import { call } from './fixture.js'
import { Client, HttpPeer } from './peers.js'

const room = 8 * 1024 * 1024
/** The maximum size of a tool result. */
const large = 4_000_000

/** Counts the calls of its tools, and the turns of the event loop in which they ran. */
function counted() {
  const seen = { begun: [] as number[], turns: [] as number[], atOnce: 0, mostAtOnce: 0 }
  let turn = 0
  let ticking = true
  const tick = () => {
    turn++
    if (ticking) setImmediate(tick)
  }
  setImmediate(tick)
  const begin = (n: number) => {
    seen.begun.push(n)
    seen.turns.push(turn)
    seen.mostAtOnce = Math.max(seen.mostAtOnce, ++seen.atOnce)
  }
  const input = z.object({ n: z.number(), size: z.number(), later: z.boolean() })
  const give = tool({
    input,
    run: async ({ n, size, later }) => {
      begin(n)
      if (later) await new Promise((resolve) => setImmediate(resolve))
      seen.atOnce--
      return 'x'.repeat(size)
    },
  })
  const burn = tool({
    run: () => {
      begin(0)
      seen.atOnce--
      const end = performance.now() + 15
      while (performance.now() < end);
      return ''
    },
  })
  const app = server({ name: 's', version: '1', tools: { give, burn }, guard: { rateLimit: false } })
  return { app, seen, stop: () => (ticking = false) }
}

const give = (id: unknown, n: number, size: number, later = false) => call(id, 'give', { n, size, later })
const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

/** The possible items of an untrusted batch. */
const items = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('give' as const),
        id: fc.oneof(fc.nat(60), fc.string({ maxLength: 3 })),
        size: fc.oneof({ weight: 4, arbitrary: fc.nat(2_000) }, { weight: 1, arbitrary: fc.constantFrom(1_000_000, large) }),
        later: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), id: fc.nat(60) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('other' as const),
        other: fc.constantFrom(1, null, { jsonrpc: '2.0', id: 'no' }),
      }),
    },
  ),
  { minLength: 1, maxLength: 40 },
)

describe('a batch of 2025-03-26', () => {
  it('is answered within its limits, each request once and in order, unless it was cancelled', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (drawn) => {
        const { app, seen, stop } = counted()
        const { pipe } = await speaking(app, '2025-03-26')
        // A cancellation before its request names an unknown request and has no effect.
        const isAsked = (id: unknown, before: number) =>
          drawn.slice(0, before).some((item) => item.kind === 'give' && item.id === id)
        const cancelled = new Set(
          drawn.flatMap((item, at) => (item.kind === 'cancel' && isAsked(item.id, at) ? [item.id as unknown] : [])),
        )
        const batch = drawn.map((item, n) => {
          if (item.kind === 'give') return give(item.id, n, item.size, item.later)
          return item.kind === 'cancel' ? cancel(item.id) : item.other
        })
        // A batch of only cancellations has no response; the response to the ping shows that it was processed.
        const answers = (await pipe.say([...batch, { jsonrpc: '2.0', id: 'last', method: 'ping' }])) as unknown as Reply[]
        stop()
        const text = pipe.texts.at(-1) ?? ''
        expect(Buffer.byteLength(text)).toBeLessThan(room + 1_000 * batch.length)
        expect(seen.mostAtOnce).toBeLessThanOrEqual(4)
        expect(seen.begun).toEqual([...new Set(seen.begun)].sort((a, b) => a - b))
        const known = answers.filter(({ id }) => id !== 'no' && id !== null && id !== undefined)
        const given = drawn.flatMap((item) => (item.kind === 'give' ? [item.id as unknown] : []))
        const repeats = (ids: readonly unknown[], at: number) => ids.indexOf(ids[at]) !== at
        const expected = [...given, 'last'].filter((id, at, all) => repeats(all, at) || !cancelled.has(id))
        expect(known.map(({ id }) => id)).toEqual(expected)
        const produced = seen.begun.reduce((sum, n) => sum + (drawn[n]?.kind === 'give' ? drawn[n].size : 0), 0)
        expect(produced).toBeLessThan(room + 5 * large)
      }),
      { numRuns: howMany(12, 60) },
    )
  })

  it('stops its requests when its responses exceed the limit, and says which ones ran', async () => {
    const { app, seen, stop } = counted()
    const { pipe } = await speaking(app, '2025-03-26')
    const answers = (await pipe.say(upTo(1_000).map((n) => give(n, n, large)))) as unknown as Reply[]
    stop()
    expect(answers.map(({ id }) => id)).toEqual(upTo(1_000))
    expect(answers.filter(({ result }) => result)).toHaveLength(2)
    const errorData = answers.flatMap(({ error }) => (error ? [error.data as { carriedOut: boolean }] : []))
    expect(errorData.filter(({ carriedOut }) => carriedOut)).toHaveLength(seen.begun.length - 2)
    expect(seen.begun.length).toBeLessThanOrEqual(6)
    expect(answers.at(-1)?.error).toMatchObject({ code: -32603, message: expect.stringContaining('was not carried out') })
  })

  it('counts the bytes of its responses, and not their characters', async () => {
    const wide = tool({ run: () => '€'.repeat(1_000_000) })
    const { pipe } = await speaking(server({ name: 's', version: '1', tools: { wide } }), '2025-03-26')
    const answers = (await pipe.say(upTo(8).map((id) => call(id, 'wide')))) as unknown as Reply[]
    expect(answers.filter(({ result }) => result)).toHaveLength(2)
  })

  it('yields to the event loop between its requests', async () => {
    const { app, seen, stop } = counted()
    const { pipe } = await speaking(app, '2025-03-26')
    await pipe.say(upTo(20).map((id) => call(id, 'burn')))
    stop()
    expect(seen.turns).toHaveLength(20)
    // On a busy machine, two requests may run in one turn.
    expect(new Set(seen.turns).size).toBeGreaterThan(15)
  })

  it('of more than 1,000 messages is refused whole', async () => {
    const { app, seen, stop } = counted()
    const { pipe } = await speaking(app, '2025-03-26')
    const answer = await pipe.say(upTo(1_001).map((n) => give(n, n, 1)))
    stop()
    expect(answer.error).toMatchObject({ code: -32600, message: expect.stringContaining('1000 messages') })
    expect(seen.begun).toEqual([])
  })

  it('skips a request that is cancelled while others run', async () => {
    const running: ((text: string) => void)[] = []
    const names: string[] = []
    const wait = tool({
      input: z.object({ name: z.string() }),
      run: ({ name }) => {
        names.push(name)
        return new Promise<string>((resolve) => running.push(resolve))
      },
    })
    const { pipe } = await speaking(server({ name: 's', version: '1', tools: { wait } }), '2025-03-26')
    const answered = pipe.say(upTo(6).map((id) => call(id, 'wait', { name: `n${id}` })))
    await expect.poll(() => names).toEqual(['n0', 'n1', 'n2', 'n3'])
    pipe.notify('notifications/cancelled', { requestId: 4 })
    for (const resolve of running.splice(0)) resolve('done')
    await expect.poll(() => names).toEqual(['n0', 'n1', 'n2', 'n3', 'n5'])
    running[0]?.('done')
    expect(((await answered) as unknown as Reply[]).map(({ id }) => id)).toEqual([0, 1, 2, 3, 5])
  })

  it('answers a request that reuses the id of a cancelled one, in its own place and with its own arguments', async () => {
    const { app, seen, stop } = counted()
    const { pipe } = await speaking(app, '2025-03-26')
    const answers = (await pipe.say([give(1, 0, 1), cancel(1), give(2, 1, 1), give(1, 2, 2)])) as unknown as Reply[]
    stop()
    expect(answers.map(({ id }) => id)).toEqual([2, 1])
    expect(seen.begun).toEqual([1, 2])
  })

  it('starts no more requests after its client has disconnected', async () => {
    const running: (() => void)[] = []
    const ended: Promise<unknown>[] = []
    const wait = tool({
      run: () => {
        const over = new Promise<string>((resolve) => running.push(() => resolve('')))
        ended.push(over)
        return over
      },
    })
    const { pipe } = await speaking(server({ name: 's', version: '1', tools: { wait } }), '2025-03-26')
    pipe.send(upTo(50).map((id) => call(id, 'wait')))
    await expect.poll(() => running.length).toBe(4)
    pipe.close()
    for (const resolve of running) resolve()
    await Promise.all(ended)
    for (const _ of upTo(20)) await new Promise((resolve) => setImmediate(resolve))
    expect(running).toHaveLength(4)
  })

  it('has the same limits over HTTP', async () => {
    const { app, seen, stop } = counted()
    const listening = await listen(app, { signals: false })
    try {
      const peer = new HttpPeer(listening.url)
      await Client.open(peer, '2025-03-26')
      const text = await (await peer.post(JSON.stringify(upTo(900).map((n) => give(n, n, large))))).text()
      expect(Buffer.byteLength(text)).toBeLessThan(room + 900 * 400)
      expect((JSON.parse(text) as Reply[]).map(({ id }) => id)).toEqual(upTo(900))
      expect(seen.begun.length).toBeLessThanOrEqual(6)
    } finally {
      stop()
      await listening.close()
    }
  })
})
