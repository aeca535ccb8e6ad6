import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { every } from '../revisions.js'
import '../reported-faults.js'
import { judged } from '../official-schemas.js'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A server whose calls run until the test ends them. */
function shop(limits: object) {
  const running: (() => void)[] = []
  const work = tool({ run: () => new Promise<string>((resolve) => running.push(() => resolve('done'))) })
  return { running, app: server({ name: 'shop', version: '1', tools: { work }, limits }) }
}

const busy = { code: 429, message: expect.stringContaining('Too many requests'), data: { retryAfterMs: 1_000 } }

describe.each(every)('at %s', (revision) => {
  it('calls beyond the limit wait, calls beyond the queue are refused, and waiting calls run later', async () => {
    const { app, running } = shop({ inFlight: 2, queue: 1 })
    const [ada, bob] = [
      await judged(app, { revision, caller: { id: 'ada' } }),
      await judged(app, { revision, caller: { id: 'bob' } }),
    ]
    const first = [ada.call('work'), bob.call('work'), ada.call('work')]
    await expect.poll(() => running).toHaveLength(2)
    await expect(bob.call('work')).rejects.toMatchObject(busy)
    running[0]?.()
    await first[0]
    await expect.poll(() => running).toHaveLength(3)
    for (const finish of running) finish()
    expect(await Promise.all(first)).toMatchObject([{ isError: false }, { isError: false }, { isError: false }])
  })

  it('many calls of one caller wait without delaying other callers', async () => {
    const { app, running } = shop({ inFlightEach: 1 })
    const [ada, bob] = [
      await judged(app, { revision, caller: { id: 'ada' } }),
      await judged(app, { revision, caller: { id: 'bob' } }),
    ]
    const crowd = [ada.call('work'), ada.call('work'), ada.call('work')]
    await expect.poll(() => running).toHaveLength(1)
    const other = bob.call('work')
    await expect.poll(() => running).toHaveLength(2)
    running[1]?.()
    expect((await other).isError).toBe(false)
    for (let at = 0; at < 4; at++) {
      for (const finish of running) finish()
      await turn()
    }
    await Promise.all(crowd)
    expect(running).toHaveLength(4)
  })

  it('unverified callers do not share one allowance', async () => {
    const { app, running } = shop({ inFlightEach: 1 })
    const t = await judged(app, { revision, caller: { id: 'anonymous', anonymous: true } })
    const calls = [t.call('work'), t.call('work')]
    await expect.poll(() => running).toHaveLength(2)
    for (const finish of running) finish()
    await Promise.all(calls)
  })

  it('a cancelled waiting call frees its place in the queue at once', async () => {
    const { app, running } = shop({ inFlight: 1, queue: 1 })
    const [ada, bob] = [
      await judged(app, { revision, caller: { id: 'ada' } }),
      await judged(app, { revision, caller: { id: 'bob' } }),
    ]
    const first = ada.call('work')
    const abort = new AbortController()
    const waiting = ada.call('work', {}, { signal: abort.signal }).catch(() => 'cancelled')
    await turn()
    await expect(bob.call('work')).rejects.toMatchObject(busy)
    abort.abort()
    expect(await waiting).toBe('cancelled')
    const second = bob.call('work')
    running[0]?.()
    await first
    await expect.poll(() => running).toHaveLength(2)
    running[1]?.()
    expect((await second).isError).toBe(false)
  })

  it('TOUT-006 the time in the queue counts towards the timeout of a call', async () => {
    const begun: string[] = []
    let finish: (value: string) => void = () => undefined
    const slow = tool({ run: () => new Promise<string>((resolve) => (finish = resolve)) })
    const quick = tool({ timeout: 100, run: () => String(begun.push('quick')) })
    const app = server({ name: 'shop', version: '1', tools: { slow, quick }, limits: { inFlight: 1 } })
    const t = await judged(app, { revision })
    const first = t.call('slow')
    const late = t.call('quick')
    await turn()
    setTimeout(() => finish('done'), 110)
    await first
    expect(await late).toMatchObject({ isError: true, content: [{ text: 'quick did not finish within 100 ms and was stopped' }] })
    expect(begun).toEqual([])
    expect((await t.call('quick')).isError).toBe(false)
  })

  it('a slot is freed however a call ends', async () => {
    const fail = tool({
      timeout: 5,
      run: (_, ctx) => (ctx.meta.hang ? new Promise<string>(() => undefined) : Promise.reject(null)),
    })
    const t = await judged(server({ name: 'shop', version: '1', tools: { fail }, limits: { inFlight: 1, queue: 1 } }), {
      revision,
    })
    for (const meta of [{}, { hang: true }, {}, { hang: true }, {}])
      expect((await t.call('fail', {}, { meta })).isError).toBe(true)
    await expect(t.call('nope')).rejects.toMatchObject({ code: -32602 })
    expect((await t.call('fail')).isError).toBe(true)
  })
})

it('2,000 calls run at once, 64 of one caller, and 256 wait', async () => {
  const { app, running } = shop({})
  const crowd = await judged(app, { caller: { id: 'ada' } })
  const outcomes = Array.from({ length: 64 + 256 + 10 }, () =>
    crowd.call('work').then(
      () => 'done',
      ({ code }) => code,
    ),
  )
  await expect.poll(() => running).toHaveLength(64)
  for (let at = 0; at < 400 && running.length > 0; at++) {
    for (const finish of running.splice(0)) finish()
    await turn()
  }
  const all = await Promise.all(outcomes)
  expect(all.filter((one) => one === 429)).toHaveLength(10)

  const strangers = await judged(app, { caller: { id: 'anonymous', anonymous: true } })
  const many = Array.from({ length: 2_000 + 256 + 10 }, () =>
    strangers.call('work').then(
      () => 'done',
      ({ code }) => code,
    ),
  )
  await expect.poll(() => running).toHaveLength(2_000)
  for (let at = 0; at < 400 && running.length > 0; at++) {
    for (const finish of running.splice(0)) finish()
    await turn()
  }
  expect((await Promise.all(many)).filter((one) => one === 429)).toHaveLength(10)
})
