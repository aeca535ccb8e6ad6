import fc from 'fast-check'
import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { rateLimit } from '../../src/policy/rate-limit.js'
import type { Refusal } from '../../src/tools/refusal.js'
import type { ToolCall } from '../../src/tools/tool.js'
import { every } from '../editions.js'
import '../faults.js'
import { judged } from '../oracle.js'

type Per = 'second' | 'minute' | 'hour' | 'day'
const lengths = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 }
const done = { content: [], isError: false }

/** The policy alone, with a clock to turn: what it says to one call of a caller. */
function limited(calls: number, per: Per) {
  const clock = { now: 0 }
  const policy = rateLimit(() => clock.now)
  const ask = (id = 'ada', continued = false): Promise<number> => {
    // The policy looks at nothing else.
    const call = {
      tool: { name: 'work', definition: { limit: { calls, per } } },
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

const limits = fc.record({ calls: fc.integer({ min: 1, max: 20 }), per: fc.constantFrom<Per>('second', 'minute', 'hour', 'day') })
const gaps = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.3, noNaN: true })), { minLength: 1, maxLength: 80 })

describe('a limit on a tool', () => {
  it('never admits more than the limit and its burst in any stretch of time', async () => {
    await fc.assert(
      fc.asyncProperty(limits, gaps, async ({ calls, per }, steps) => {
        const { clock, ask } = limited(calls, per)
        const admitted: number[] = []
        for (const step of steps) {
          clock.now += step * lengths[per]
          if ((await ask()) === 0) admitted.push(clock.now)
        }
        for (const [first, from] of admitted.entries()) {
          for (const [more, until] of admitted.slice(first).entries()) {
            const earned = ((until - from) / lengths[per]) * calls
            expect(more + 1).toBeLessThanOrEqual(calls + earned + 1e-6)
          }
        }
      }),
    )
  })

  it('admits whoever waits as long as it says', async () => {
    await fc.assert(
      fc.asyncProperty(limits, gaps, async ({ calls, per }, steps) => {
        const { clock, ask } = limited(calls, per)
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

  it('gives a rested caller the whole burst, and counts each caller alone', async () => {
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
    content: [{ text: expect.stringMatching(/^work has been called too often; try again in \d+ s$/) }],
  })
  expect(runs).toBe(2)
})
