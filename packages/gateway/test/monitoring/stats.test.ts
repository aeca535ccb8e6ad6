// Call statistics over time, for the charts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectAfter } from '../../../toolwire/test/soak.js'
import { Latencies } from '../../src/monitoring/stats/latencies.js'
import { LimitsReached } from '../../src/monitoring/stats/limits-reached.js'
import { CallStats, type StatsView } from '../../src/monitoring/stats/stats.js'
import { ask, client, started, until } from '../support/running-gateway.js'
import { notes, open } from '../support/upstream-configs.js'

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)
const begin = 1_800_000_000_000

/** Statistics with a clock that the test sets. */
function statsWithClock() {
  let now = begin
  const stats = new CallStats(() => now)
  const ended = (given: Partial<Parameters<CallStats['ended']>[0]> = {}) =>
    stats.ended({ tool: 'a', caller: 'eve', server: 's', outcome: 'ok', ms: 10, ...given })
  return { stats, ended, pass: (ms: number) => (now += ms) }
}

describe('calls over time', () => {
  it('are counted by tool, caller and server, with durations and refusals', async () => {
    const rate = { calls: 3, per: 'minute', burst: 3 } as const
    const gateway = await started({
      upstreams: [notes()],
      guard: { ...open, rate },
      apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd',
    })
    const one = await client(gateway.url, { headers: { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' } })
    await one.call('notes__slow', { ms: 80 })
    await one.call('notes__read')
    for (let n = 0; n < 4; n++) await one.call('notes__write', { text: 'x' }).catch(() => undefined)
    const of = async (by: string) => (await ask(gateway, `/stats?minutes=60&by=${by}`)).body as unknown as StatsView
    const { stepMs, from, series, total, limits } = await of('tool')
    expect([stepMs, total.calls.length]).toEqual([10_000, 360])
    expect(from + 360 * stepMs).toBeGreaterThan(Date.now())
    expect(from + 359 * stepMs).toBeLessThanOrEqual(Date.now())
    expect([sum(total.calls), sum(total.refused), sum(total.limited), sum(total.errors)]).toEqual([6, 1, 1, 0])
    expect(Object.fromEntries(series.map(({ key, calls }) => [key, sum(calls)]))).toEqual({
      notes__write: 4,
      notes__slow: 1,
      notes__read: 1,
    })
    const slow = series.find(({ key }) => key === 'notes__slow')?.p95.filter((ms) => ms !== null) ?? []
    expect(slow).toEqual([expect.any(Number)])
    expectAfter(slow[0], 60)
    expect(limits).toMatchObject([{ tool: 'notes__write', caller: 'operator', count: 1 }])
    expect((await of('caller')).series.map(({ key }) => key)).toEqual(['operator'])
    expect((await of('server')).series.map(({ key }) => key)).toEqual(['notes'])
    expect((await ask(gateway, '/stats?by=day')).status).toBe(400)
    expect((await ask(gateway, '/stats?minutes=x')).status).toBe(400)
    await until(
      async () => ((await ask(gateway, '/stats?minutes=1440')).body as unknown as StatsView).total.calls.length === 1_440,
    )
  })

  it('are counted after a clock that was ahead is right again', () => {
    const { stats, ended, pass } = statsWithClock()
    pass(86_400_000)
    ended()
    pass(-86_400_000)
    for (let minute = 0; minute < 3; minute++) {
      ended()
      pass(60_000)
    }
    const { total } = stats.view(60, 'tool')
    expect(total.calls.filter((count) => count > 0)).toEqual([1, 1, 1])
  })

  it('stay when the clock is set back a little', () => {
    const { stats, ended, pass } = statsWithClock()
    for (let minute = 0; minute < 3; minute++) {
      ended()
      pass(60_000)
    }
    ended()
    pass(-61_000)
    ended()
    for (const minutes of [60, 1_440])
      expect(stats.view(minutes, 'tool').total.calls.filter((count) => count > 0)).toEqual(minutes === 60 ? [1, 1, 1] : [1, 2])
  })

  it('have steps of ten seconds for an hour, and of a minute for a day, and are dropped after that', () => {
    const { stats, ended, pass } = statsWithClock()
    ended({ ms: 5 })
    pass(10_000)
    ended({ outcome: 'error', ms: 500 })
    ended({ outcome: 'refused', reason: 'forbidden' })
    const { total } = stats.view(2, 'tool')
    expect(total.calls.slice(-2)).toEqual([1, 2])
    expect(total.errors.slice(-2)).toEqual([0, 1])
    expect(total.refused.slice(-2)).toEqual([0, 1])
    expect(total.p50.slice(-3).map((ms) => ms !== null)).toEqual([false, true, true])
    expect(total.p50.at(-2)).toBeGreaterThan(4)
    expect(total.p50.at(-2)).toBeLessThan(6)
    pass(3_600_000)
    expect(sum(stats.view(60, 'tool').total.calls)).toBe(0)
    const day = stats.view(1_440, 'tool')
    expect([day.stepMs, sum(day.total.calls)]).toEqual([60_000, 3])
    pass(86_400_000)
    expect(sum(stats.view(1_440, 'tool').total.calls)).toBe(0)
    expect(stats.view(1_440, 'tool').series).toEqual([])
  })

  it('are not counted twice if a call is retried with an answer', () => {
    const { stats, ended } = statsWithClock()
    ended({ outcome: 'asked' })
    ended()
    expect(sum(stats.view(60, 'tool').total.calls)).toBe(1)
  })

  it('need no more memory for a thousand names than for fifty, and a returning name gets its own series', () => {
    const { stats, ended, pass } = statsWithClock()
    for (let n = 0; n < 1_000; n++) ended({ caller: `caller ${n}` })
    const { series } = stats.view(60, 'caller')
    expect(series).toHaveLength(51)
    expect(series.at(-1)).toMatchObject({ key: 'others' })
    expect(sum(series.flatMap(({ calls }) => calls))).toBe(1_000)
    pass(3_700_000)
    for (let n = 0; n < 3; n++) ended({ caller: 'late' })
    expect(stats.view(60, 'caller').series.map(({ key }) => key)).toEqual(['late'])
  })

  it('list the callers that reached a limit, the latest first, and at most 200 of them', () => {
    const { stats, ended, pass } = statsWithClock()
    for (let n = 0; n < 300; n++) ended({ outcome: 'refused', isLimited: true, caller: `caller ${n}` })
    ended({ outcome: 'refused', isLimited: true, caller: 'caller 150' })
    ended({ outcome: 'refused', reason: 'forbidden', caller: 'nobody' })
    const { limits } = stats.view(60, 'tool')
    expect(limits).toHaveLength(200)
    expect(limits[0]).toEqual({ tool: 'a', caller: 'caller 150', count: 2, lastAt: begin })
    pass(86_400_001)
    expect(stats.view(60, 'tool').limits).toEqual([])
  })

  it('keep the past count of a caller, even if the entry is evicted while the past is added', () => {
    const [past, latest] = [new LimitsReached(), new LimitsReached()]
    for (let n = 0; n < 200; n++) past.add('a', `caller ${n}`, begin)
    for (const caller of ['new', 'caller 0']) latest.add('a', caller, begin + 1)
    latest.absorb(past)
    expect(latest.list(begin + 1).slice(0, 2)).toMatchObject([
      { caller: 'caller 0', count: 2 },
      { caller: 'new', count: 1 },
    ])
  })

  it('add up, for any events at any time', () => {
    const step = fc.record({ passed: fc.nat(120_000), count: fc.nat(5), tool: fc.constantFrom('a', 'b', 'c') })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { stats, ended, pass } = statsWithClock()
        const calls: { at: number; count: number }[] = []
        let at = 0
        for (const { passed, count, tool } of steps) {
          pass(passed)
          at += passed
          for (let n = 0; n < count; n++) ended({ tool })
          calls.push({ at, count })
        }
        const { total, series, from } = stats.view(60, 'tool')
        const within = sum(calls.map(({ at, count }) => (begin + at >= from ? count : 0)))
        expect(sum(total.calls)).toBe(within)
        expect(sum(series.flatMap(({ calls }) => calls))).toBe(within)
      }),
    )
  })
})

describe('the duration of calls', () => {
  it('is accurate to a fifth', () => {
    const times = fc.array(fc.double({ min: 0.3, max: 200_000, noNaN: true }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.95), (all, part) => {
        const latencies = new Latencies()
        for (const ms of all) latencies.add(ms)
        const sorted = [...all].sort((a, b) => a - b)
        const exact = sorted[Math.ceil(part * all.length) - 1] ?? 0
        expect(Math.abs(latencies.quantile(part) - exact) / exact).toBeLessThan(0.2)
      }),
    )
  })
})
