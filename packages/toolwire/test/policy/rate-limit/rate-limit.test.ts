import fc from 'fast-check'
import { server, tool } from 'toolwire'
import { connect, InvalidArguments } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { concurrency } from '../../../src/policy/concurrency/index.js'
import type { Policy } from '../../../src/policy/policy.js'
import { rateLimit } from '../../../src/policy/rate-limit/index.js'
import { memoryLimits } from '../../../src/policy/rate-limit/store.js'
import { timeout } from '../../../src/policy/timeout/index.js'
import { validate } from '../../../src/policy/validate/index.js'
import type { Refusal } from '../../../src/tools/refusal.js'
import type { ToolCall } from '../../../src/tools/tool.js'
import { every } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { callOf, through } from '../call.js'

type Per = 'second' | 'minute' | 'hour' | 'day'
const lengths = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 }
const done = { content: [], isError: false }

/** The policy alone with a manual clock. Returns its answer to one call of a caller. */
function limited(calls: number, per: Per, burst = calls) {
  const clock = { now: 0 }
  const policy = rateLimit({ now: () => clock.now })
  const ask = (id = 'ada', continued = false): Promise<number> => {
    // The policy uses no other members.
    const call = {
      tool: { name: 'work', definition: { limit: { calls, per, burst } } },
      caller: { id },
      context: { continued },
    } as unknown as ToolCall
    return (
      policy
        .call?.(call, async () => done)
        .then(
          () => 0,
          (thrown: Refusal) => thrown.retryAfterMs ?? Number.NaN,
        ) ?? Promise.reject()
    )
  }
  return { clock, ask }
}

const limits = fc.record({
  calls: fc.integer({ min: 1, max: 20 }),
  per: fc.constantFrom<Per>('second', 'minute', 'hour', 'day'),
  burst: fc.integer({ min: 1, max: 30 }),
})
const gaps = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.3, noNaN: true })), { minLength: 1, maxLength: 80 })

describe('a failing limit store', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('gone')
      },
    ],
    ['rejects', () => Promise.reject(new Error('gone'))],
  ] as const)('causes a refusal before the call is made, if it %s', async (_, take) => {
    const { sent, refusal } = await through(rateLimit({ tool: { calls: 1, per: 'hour' }, store: { take } }), callOf())
    expect(sent).toEqual([])
    expect(refusal).toMatchObject({ reason: 'busy', retryAfterMs: 1_000, cause: { message: 'gone' } })
    const failing: Policy = rateLimit({ tool: { calls: 1, per: 'hour' } })
    await expect(failing.call?.(callOf(), () => Promise.reject(new Error('of the tool')))).rejects.toThrow('of the tool')
  })
})

describe('a limit on a tool', () => {
  it('SECS-003 never admits more than the limit and its burst in any period', async () => {
    await fc.assert(
      fc.asyncProperty(limits, gaps, async ({ calls, per, burst }, steps) => {
        const { clock, ask } = limited(calls, per, burst)
        const admitted: number[] = []
        for (const step of steps) {
          clock.now += step * lengths[per]
          if ((await ask()) === 0) admitted.push(clock.now)
        }
        for (const [first, from] of admitted.entries()) {
          for (const [more, until] of admitted.slice(first).entries()) {
            const earned = ((until - from) / lengths[per]) * calls
            expect(more + 1).toBeLessThanOrEqual(burst + earned + 1e-6)
          }
        }
      }),
    )
  })

  it('admits a caller that waits as long as the limit says', async () => {
    await fc.assert(
      fc.asyncProperty(limits, gaps, async ({ calls, per, burst }, steps) => {
        const { clock, ask } = limited(calls, per, burst)
        for (const step of steps) {
          clock.now += step * lengths[per]
          const wait = await ask()
          if (wait === 0) continue
          clock.now += wait - 0.01
          expect(await ask()).toBeGreaterThan(0)
          clock.now += 0.02
          expect(await ask()).toBe(0)
        }
      }),
    )
  })

  it('gives a rested caller the whole burst, and counts each caller separately', async () => {
    const { clock, ask } = limited(3, 'minute')
    for (const id of ['ada', 'bob']) expect([await ask(id), await ask(id), await ask(id)]).toEqual([0, 0, 0])
    expect(await ask('ada')).toBe(20_000)
    clock.now = 60_000
    expect([await ask('ada'), await ask('ada'), await ask('ada'), await ask('ada')]).toEqual([0, 0, 0, 20_000])
  })

  it('does not count the later rounds of a call', async () => {
    const { ask } = limited(1, 'day')
    expect([await ask(), await ask('ada', true), await ask('ada', true)]).toEqual([0, 0, 0])
    expect(await ask()).toBeGreaterThan(0)
  })
})

it.each(every)('at %s the model reads when it may call again', async (revision) => {
  let runs = 0
  const work = tool({ limit: { calls: 2, per: 'hour' }, run: () => String(++runs) })
  const t = await judged(server({ name: 'shop', version: '1', tools: { work } }), { revision })
  await Promise.all([t.call('work'), t.call('work')])
  const refused = await t.call('work')
  expect(refused).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringMatching(/^work has been called too often \(more than 2 times an hour\); try again in \d+ s$/) },
    ],
  })
  expect(runs).toBe(2)
})

describe('limits on several tools', () => {
  const minute = (calls: number) => ({ calls, per: 'minute' }) as const
  const named = (name: string, more: { caller?: string; server?: string } = {}) => callOf({ listed: { name }, ...more })
  const refusalOf = async (policy: Policy, call: ToolCall) => (await through(policy, call)).refusal?.message

  it('apply to each caller and tool of each server separately', async () => {
    const policy = rateLimit({ tool: minute(1), now: () => 0 })
    const all = [
      named('send'),
      named('read'),
      named('send', { caller: 'ada' }),
      named('send', { server: 'disk' }),
      // Names that would collide if they were only concatenated.
      named('a', { server: 'b', caller: 'cd' }),
      named('ac', { server: 'b', caller: 'd' }),
      named('a', { server: 'bc', caller: 'd' }),
      named('b a', { server: '1', caller: 'x' }),
    ]
    for (const call of all) expect(await refusalOf(policy, call)).toBeUndefined()
    for (const call of all) expect(await refusalOf(policy, call)).toMatch(/more than once a minute\); try again in 60 s$/)
  })

  it('of a caller and of a server span all tools, and the refusal names the limit', async () => {
    const policy = rateLimit({ caller: minute(2), server: minute(3), now: () => 0 })
    expect(await refusalOf(policy, named('send'))).toBeUndefined()
    expect(await refusalOf(policy, named('read'))).toBeUndefined()
    expect(await refusalOf(policy, named('list'))).toMatch(/^Tools have been called too often \(more than 2 times/)
    expect(await refusalOf(policy, named('list', { caller: 'ada' }))).toBeUndefined()
    expect(await refusalOf(policy, named('list', { caller: 'bob' }))).toMatch(
      /^mail has been called too often \(more than 3 times/,
    )
    expect(await refusalOf(policy, named('list', { caller: 'bob', server: 'disk' }))).toBeUndefined()
  })

  it('of one caller do not affect the others', async () => {
    const policy = rateLimit({ tool: minute(1), server: minute(2), now: () => 0 })
    for (let at = 0; at < 50; at++) await refusalOf(policy, named('send'))
    expect(await refusalOf(policy, named('send', { caller: 'ada' }))).toBeUndefined()
  })

  it('of anonymous callers are shared', async () => {
    const policy = rateLimit({ tool: minute(1), strangers: minute(2), now: () => 0 })
    const call = named('send')
    const stranger = { ...call, caller: { id: 'anonymous', scopes: [], anonymous: true } }
    const said = [await refusalOf(policy, stranger), await refusalOf(policy, stranger), await refusalOf(policy, stranger)]
    expect(said).toEqual([undefined, undefined, expect.stringContaining('too often')])
  })

  it('stay in force while 50,000 other callers appear, and are finally forgotten, because memory is bounded', async () => {
    const kept = memoryLimits()
    const limit = minute(1)
    expect([kept.take('ada', limit, 0), kept.take('ada', limit, 0)]).toEqual([0, 60_000])
    for (let at = 0; at < 49_000; at++) kept.take(`caller ${at}`, limit, 0)
    expect(kept.take('ada', limit, 0)).toBe(60_000)
    for (let at = 0; at < 110_000; at++) kept.take(`stranger ${at}`, limit, 0)
    expect(kept.take('ada', limit, 0)).toBe(0) // the old entry was evicted
  })

  it('SECS-003 prevent excess calls in a client from being sent', async () => {
    let runs = 0
    const app = server({
      name: 'shop',
      version: '1',
      tools: {
        work: tool({
          input: z.object({ amount: z.number() }),
          output: z.object({ runs: z.number() }),
          run: () => ({ runs: ++runs }),
        }),
      },
    })
    const policies = [
      timeout({ idleMs: 5_000, totalMs: 5_000 }),
      rateLimit({ tool: minute(2) }),
      concurrency({ each: 1 }),
      validate(),
    ]
    await using shop = await connect(app, { policies })
    const amount = { amount: 1 }
    await Promise.all([shop.call('work', amount), shop.call('work', amount)])
    await expect(shop.call('work', amount)).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: expect.any(Number) })
    expect(runs).toBe(2)
  })

  it('in a client leave the validation of arguments in place', async () => {
    const pay = tool({ input: z.object({ amount: z.number() }), run: () => 'done' })
    const app = server({ name: 'shop', version: '1', tools: { pay } })
    await using shop = await connect(app, { policies: [validate(), concurrency()] })
    await expect(shop.call('pay', { amount: 'much' })).rejects.toThrow(InvalidArguments)
  })
})
