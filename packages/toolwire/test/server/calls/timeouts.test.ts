import { server, tool } from 'toolwire'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { every, until } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => undefined)
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const shop = (tools: object, options: object = {}) => server({ name: 'shop', version: '1', tools: { ...tools }, ...options })
const name = z.object({ name: z.string() })

/** Runs the fake clock, and returns the time in milliseconds at which the call ended. */
async function lasts(call: Promise<unknown>, { within }: { within: number }): Promise<number> {
  const start = Date.now()
  let end = Number.NaN
  void call.then(
    () => (end = Date.now() - start),
    () => (end = Date.now() - start),
  )
  await vi.advanceTimersByTimeAsync(within)
  return end
}

describe.each(every)('at %s', (revision) => {
  it('TOUT-006 a silent call fails after a minute, and its work is aborted', async () => {
    let signal: AbortSignal | undefined
    const stuck = tool({
      run: (_, ctx) => {
        signal = ctx.signal
        return never()
      },
    })
    const t = await judged(shop({ stuck }), { revision })
    const call = t.call('stuck')
    expect(await lasts(call, { within: 59_999 })).toBeNaN()
    expect(await lasts(call, { within: 2 })).not.toBeNaN()
    expect(await call).toMatchObject({
      isError: true,
      content: [{ text: 'stuck showed no progress for 60000 ms and was stopped' }],
    })
    expect(signal?.aborted).toBe(true)
  })

  it.each([
    { asked: 'asked for', onProgress: () => undefined },
    { asked: 'not asked for', onProgress: undefined },
  ])('TOUT-006 progress, $asked, extends the timeout up to five minutes', async ({ onProgress }) => {
    const busy = tool({
      run: async (_, ctx) => {
        for (let step = 1; !ctx.signal.aborted; step++) await sleep(50_000).then(() => ctx.progress(step))
        return 'done'
      },
    })
    const t = await judged(shop({ busy }), { revision })
    const call = t.call('busy', {}, onProgress ? { onProgress } : {})
    expect(await lasts(call, { within: 400_000 })).toBe(300_000)
    expect(await call).toMatchObject({
      isError: true,
      content: [{ text: 'busy did not finish within 300000 ms and was stopped' }],
    })
  })

  it('TOUT-006 the server may configure other limits', async () => {
    const t = await judged(shop({ stuck: tool({ run: never }) }, { timeout: { idleMs: 1_000 } }), { revision })
    expect(await lasts(t.call('stuck'), { within: 60_000 })).toBe(1_000)
  })

  it('TOUT-006 the timeout of a tool counts from start to end', async () => {
    const busy = tool({
      timeout: 120_000,
      run: async (_, ctx) => {
        for (let step = 1; !ctx.signal.aborted; step++) await sleep(10_000).then(() => ctx.progress(step))
        return 'done'
      },
    })
    const t = await judged(shop({ busy }), { revision })
    const call = t.call('busy')
    expect(await lasts(call, { within: 400_000 })).toBe(120_000)
    expect(await call).toMatchObject({ content: [{ text: 'busy did not finish within 120000 ms and was stopped' }] })
  })

  it('finished calls leave at most one timer behind, which has no effect', async () => {
    // The audit log has one timer for all calls, too, so it is disabled.
    const t = await judged(shop({ quick: tool({ run: () => 'done' }) }, { guard: { audit: false } }), { revision })
    for (let calls = 0; calls < 10; calls++) await t.call('quick')
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe.each(['2025-06-18', '2025-11-25'])('while a question is open at %s', (revision) => {
  const slowly = (value: object) => () => sleep(280_000).then(() => value as never)

  it('TOUT-006 the timeout is paused, for all concurrent questions', async () => {
    const greet = tool({
      run: async (_, ctx) => {
        const names = await Promise.all([ctx.ask('first', 'Name?', name), ctx.ask('second', 'Surname?', name)])
        await sleep(50_000)
        return names.map((answer) => answer.name).join(' ')
      },
    })
    const answers = { first: { name: 'Ada' }, second: slowly({ name: 'Lovelace' }) }
    const t = await judged(shop({ greet }), { revision, answers })
    const call = t.call('greet')
    expect(await lasts(call, { within: 400_000 })).toBe(330_000)
    expect(await call).toMatchObject({ content: [{ text: 'Ada Lovelace' }] })
  })

  it('TOUT-006 the timeout of a tool resumes where it stopped', async () => {
    const greet = tool({
      timeout: 1_000,
      run: async (_, ctx) => {
        await sleep(600)
        await ctx.ask('first', 'Name?', name)
        return never()
      },
    })
    const t = await judged(shop({ greet }), { revision, answers: { first: slowly({ name: 'Ada' }) } })
    expect(await lasts(t.call('greet'), { within: 400_000 })).toBe(281_000)
  })
})

const model = { messages: [{ role: 'user' as const, content: { type: 'text', text: 'Hello' } }], maxTokens: 5 }

it.each(until('2025-11-25'))('TOUT-005 CANC-002 at %s a client that never answers causes a tool error', async (revision) => {
  const greet = tool({ run: async (_, ctx) => (await ctx.ask.model('greeting', model)).model })
  const t = await judged(shop({ greet }, { questionTimeout: 5_000 }), { revision, answers: { greeting: never } })
  const call = t.call('greet')
  expect(await lasts(call, { within: 10_000 })).toBe(5_000)
  expect(await call).toMatchObject({
    isError: true,
    content: [{ text: 'The client did not answer sampling/createMessage within 5000 ms' }],
  })
  const [question] = t.heard('sampling/createMessage')
  expect(t.heard('notifications/cancelled')).toMatchObject([{ params: { requestId: question?.id } }])
})

it.each(until('2025-11-25'))('TOUT-006 at %s the timeout resumes after a question has failed', async (revision) => {
  const greet = tool({ run: (_, ctx) => ctx.ask.model('greeting', model).then(never, never) })
  const broken = () => {
    throw new Error('The model is away')
  }
  const t = await judged(shop({ greet }), { revision, answers: { greeting: broken } })
  expect(await lasts(t.call('greet'), { within: 400_000 })).toBe(60_000)
})
