// No interleaving of callers, clocks and failures admits more calls than the limit and its burst.
import fc from 'fast-check'
import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { withLocalFallback } from '../../../src/policy/rate-limit/fallback.js'
import { emissionIntervalMs, replicaShareOf } from '../../../src/policy/rate-limit/gcra.js'
import { rateLimit } from '../../../src/policy/rate-limit/index.js'
import { type LimitStore, memoryLimits } from '../../../src/policy/rate-limit/store.js'
import { type RuleSet, rules } from '../../../src/rules.js'
import type { Limit } from '../../../src/tools/tool.js'
import { callOf, through } from '../../policy/call.js'
import { speaking } from '../../server/pipe.js'

type Admitted = readonly number[]

const limits = fc.record({
  calls: fc.integer({ min: 1, max: 50 }),
  per: fc.constantFrom<Limit['per']>('second', 'minute', 'hour', 'day'),
  burst: fc.integer({ min: 1, max: 20 }),
})
/** The caller of each step, and the time since the previous step, as a multiple of the time per call. */
const steps = fc.array(
  fc.record({ who: fc.nat({ max: 3 }), gap: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3, noNaN: true })) }),
  {
    minLength: 1,
    maxLength: 120,
  },
)

/** In any period, the number of calls is at most the burst plus the refill. */
function expectWithin(limit: Limit, admitted: Admitted): void {
  const { burst = limit.calls } = limit
  for (const [first, from] of admitted.entries())
    for (const [more, until] of admitted.slice(first).entries())
      expect(more + 1).toBeLessThanOrEqual(burst + (until - from) / emissionIntervalMs(limit) + 1e-6)
}

describe('allowances in memory', () => {
  it('SECS-003 never admit more than the limit and its burst, for any order of callers', () => {
    fc.assert(
      fc.property(limits, steps, (limit, schedule) => {
        const store = memoryLimits()
        const admitted = new Map<number, number[]>()
        let now = 0
        for (const { who, gap } of schedule) {
          now += gap * emissionIntervalMs(limit)
          if (store.take(`caller ${who}`, limit, now) === 0) admitted.set(who, [...(admitted.get(who) ?? []), now])
        }
        for (const times of admitted.values()) expectWithin(limit, times)
      }),
    )
  })

  it('SECS-003 admit nothing more when a clock is set back and forth', () => {
    const jumps = fc.array(fc.integer({ min: -50, max: 0 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(limits, jumps, (limit, back) => {
        const store = memoryLimits()
        const latest = 1e9
        const taken = back.filter((by) => store.take('caller', limit, latest + by * emissionIntervalMs(limit)) === 0)
        const stretch = Math.max(...back) - Math.min(...back)
        expect(taken.length).toBeLessThanOrEqual(limit.burst + stretch)
      }),
    )
  })

  it('SECS-003 hold for a store with any delays, for policies and rules alike', async () => {
    const delays = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), delays, fc.boolean(), async (calls, waits, isRule) => {
        const here = memoryLimits()
        let asked = 0
        const slow: LimitStore = {
          async take(key, limit) {
            for (let turns = waits[asked++ % waits.length] ?? 0; turns > 0; turns--) await Promise.resolve()
            return here.take(key, limit, 0)
          },
        }
        const limit: Limit = { calls, per: 'hour' }
        const set: RuleSet = { rules: [{ name: 'some', decision: 'allow', limit }] }
        const policy = isRule ? rules(set, { store: slow }) : rateLimit({ tool: limit, store: slow })
        const answers = await Promise.all(waits.map(() => through(policy, callOf())))
        expect(answers.filter(({ sent }) => sent.length > 0)).toHaveLength(Math.min(calls, waits.length))
      }),
    )
  })
})

describe('an intermittent store', () => {
  it('SECS-003 admits at most its own limit plus one share of a replica, and only its own limit if there are no shares', async () => {
    const calls = fc.array(fc.record({ gap: fc.double({ min: 0, max: 1, noNaN: true }), isAway: fc.boolean() }), {
      minLength: 1,
      maxLength: 80,
    })
    await fc.assert(
      fc.asyncProperty(limits, calls, fc.integer({ min: 0, max: 5 }), async (limit, schedule, replicas) => {
        let now = 0
        let away = false
        const inner = memoryLimits()
        const store: LimitStore = {
          take: async (key, one) => (away ? Promise.reject(new Error('away')) : inner.take(key, one, now)),
        }
        const both = withLocalFallback(store, { replicas: () => replicas, againMs: emissionIntervalMs(limit) }, () => now)
        let admitted = 0
        for (const { gap, isAway } of schedule) {
          now += gap * emissionIntervalMs(limit)
          away = isAway
          if ((await Promise.resolve(both.take('caller', limit, now)).catch(String)) === 0) admitted++
        }
        const most = ({ burst = 0, ...one }: Limit) => burst + now / emissionIntervalMs({ ...one, burst })
        const part = replicas === 0 ? 0 : most(replicaShareOf(limit, replicas))
        expect(admitted).toBeLessThanOrEqual(most(limit) + part + 1e-6)
      }),
    )
  })
})

describe('a store that several replicas lose at their limit', () => {
  it('SECS-003 is replaced by the refill, and not by another burst', async () => {
    const replicaCounts = fc.integer({ min: 1, max: 5 })
    const rounds = fc.integer({ min: 1, max: 20 })
    await fc.assert(
      fc.asyncProperty(limits, replicaCounts, rounds, rounds, async (limit, replicas, before, after) => {
        let now = 0
        let away = false
        const inner = memoryLimits()
        const store: LimitStore = {
          take: async (key, one) => (away ? Promise.reject(new Error('away')) : inner.take(key, one, now)),
        }
        const all = Array.from({ length: replicas }, () => withLocalFallback(store, { replicas, againMs: 1e12 }, () => now))
        let admitted = 0
        const askAll = async () => {
          for (let refused = 0; refused < replicas; ) {
            refused = 0
            for (const one of all) (await one.take('caller', limit, now)) === 0 ? admitted++ : refused++
          }
          now += emissionIntervalMs(limit)
        }
        for (let round = 0; round < before; round++) await askAll()
        away = true
        for (let round = 0; round < after; round++) await askAll()
        expect(admitted).toBeLessThanOrEqual(limit.burst + before + after + 1e-6)
      }),
    )
  })
})

describe('a store that recovers for several replicas', () => {
  it('SECS-003 counts the calls that they admitted without it', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.integer({ min: 1, max: 5 }), async (limit, replicas) => {
        let away = true
        const inner = memoryLimits()
        const store: LimitStore = {
          take: async (key, one) => (away ? Promise.reject(new Error('away')) : inner.take(key, one, 0)),
        }
        const all = Array.from({ length: replicas }, () => withLocalFallback(store, { replicas, againMs: 0 }, () => 0))
        let admitted = 0
        const askAll = async () => {
          for (let refused = 0; refused < 2 * replicas; ) {
            for (const one of all) (await one.take('caller', limit, 0)) === 0 ? admitted++ : refused++
            await new Promise((resolve) => setImmediate(resolve)) // all have checked whether the store is back
          }
        }
        await askAll()
        away = false
        await askAll()
        expect(admitted).toBeLessThanOrEqual(Math.max(limit.burst ?? limit.calls, replicas))
      }),
    )
  })
})

describe('eight clients of one server', () => {
  it('SECS-003 share the limit of their one name', async () => {
    let ran = 0
    const pay = tool({ description: 'Pays', limit: { calls: 10, per: 'hour' }, run: () => `paid ${++ran}` })
    const app = server({ name: 'till', version: '1', tools: { pay } })
    const clients = await Promise.all(Array.from({ length: 8 }, () => speaking(app, '2025-11-25')))
    const answers = await Promise.all(
      clients.flatMap(({ ask }) => Array.from({ length: 10 }, () => ask('tools/call', { name: 'pay' }))),
    )
    expect(answers.filter(({ result }) => result?.isError !== true)).toHaveLength(10)
    expect(ran).toBe(10)
  })
})
