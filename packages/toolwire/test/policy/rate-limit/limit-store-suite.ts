// Tests for every shared limit store, with a real server that fails and recovers.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FallbackOptions } from '../../../src/policy/rate-limit/fallback.js'
import type { LimitStore } from '../../../src/policy/rate-limit/store.js'
import type { Limit } from '../../../src/tools/tool.js'
import { expectWithin, howMany, soaking } from '../../soak.js'
import { pause } from '../../waiting.js'

/** A server, and stores of replicas that use it. */
export type LimitServer = {
  store(options: FallbackOptions): Promise<LimitStore>
  /** The store of a replica that never reaches the server. */
  unreachable(options: FallbackOptions): LimitStore
  kill(): Promise<void>
  start(): Promise<void>
  freeze(): Promise<void> | void
  thaw(): void
  close(): Promise<void>
}

const lengths = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 }
/** A long timeout, so that even on a busy machine the server counts and not the fallback. */
const patient: FallbackOptions = { replicas: 3, withinMs: 20_000 }

let count = 0
const freshKey = () => `test ${++count}`

/** How many of the given number of simultaneous calls are admitted. */
async function admitted(stores: readonly LimitStore[], key: string, limit: Limit, calls: number): Promise<number> {
  const asked = Array.from({ length: calls }, (_, at) => (stores[at % stores.length] as LimitStore).take(key, limit, 0))
  return (await Promise.all(asked)).filter((waitMs) => waitMs === 0).length
}

export function limitStoreSuite(make: () => Promise<LimitServer>): void {
  let server: LimitServer
  const replicas = (options: FallbackOptions) => Promise.all([1, 2, 3].map(() => server.store(options)))

  beforeAll(async () => {
    server = await make()
  })
  afterAll(() => server.close())

  describe('shared limits', () => {
    it('SECS-003 are never exceeded by more than the burst, for any distribution of calls over three replicas', async () => {
      const stores = await replicas(patient)
      const limits = fc.record({
        calls: fc.integer({ min: 1, max: 200 }),
        per: fc.constantFrom<Limit['per']>('second', 'minute', 'hour'),
        burst: fc.integer({ min: 1, max: 30 }),
      })
      const rounds = fc.array(fc.record({ calls: fc.integer({ min: 1, max: 60 }), pauseMs: fc.integer({ min: 0, max: 40 }) }), {
        minLength: 1,
        maxLength: 5,
      })
      await fc.assert(
        fc.asyncProperty(limits, rounds, async (limit, steps) => {
          const key = freshKey()
          const seen: { start: number; end: number; count: number }[] = []
          for (const { calls, pauseMs } of steps) {
            const start = performance.now()
            const through = await admitted(stores, key, limit, calls)
            seen.push({ start, end: performance.now(), count: through })
            await pause(pauseMs)
          }
          for (const [first, { start }] of seen.entries()) {
            let total = 0
            for (const { end, count } of seen.slice(first)) {
              total += count
              // Two milliseconds for the difference between the clocks of the server and this process.
              expect(total).toBeLessThanOrEqual(limit.burst + ((end - start + 2) / lengths[limit.per]) * limit.calls)
            }
          }
          expect(seen[0]?.count).toBeGreaterThanOrEqual(Math.min(limit.burst, steps[0]?.calls ?? 0))
        }),
        { numRuns: howMany(20, 40) },
      )
    })

    it('admit a caller that waits as long as the store says, by the clock of the server', async () => {
      const store = await server.store({ ...patient, replicas: 1 })
      const key = freshKey()
      const limit: Limit = { calls: 1, per: 'second', burst: 1 }
      // The time of this process must not matter.
      expect(await store.take(key, limit, 1e12)).toBe(0)
      const waitMs = await store.take(key, limit, -1e12)
      expect(waitMs).toBeGreaterThan(0)
      expect(waitMs).toBeLessThanOrEqual(1_000)
      await pause(waitMs + 2)
      expect(await store.take(key, limit, 0)).toBe(0)
    })
  })

  describe('an unavailable server', () => {
    const limit: Limit = { calls: 30, per: 'hour' }

    /** Three replicas with their reported states, and controls of the server. */
    async function fleet() {
      const states: boolean[] = []
      const onChange = ({ shared }: { shared: boolean }) => void states.push(shared)
      const stores = await replicas({ replicas: 3, onChange, ...(!soaking && { withinMs: 5_000 }) })
      for (const store of stores) expect(await store.take(freshKey(), limit, 0)).toBe(0)
      return { states, stores }
    }

    async function comesBack(stores: readonly LimitStore[], states: readonly boolean[]): Promise<void> {
      const start = performance.now()
      while (states.filter(Boolean).length < stores.length) {
        expectWithin(performance.now() - start, 5_000)
        for (const store of stores) await store.take(freshKey(), limit, 0)
        await pause(50)
      }
      // The limit is shared again: thirty for all replicas, and not ten for each.
      const key = freshKey()
      expect(await admitted(stores, key, limit, 90)).toBe(30)
    }

    const ways = [
      { way: 'killed', go: () => server.kill(), back: () => server.start() },
      { way: 'hung', go: async () => server.freeze(), back: async () => server.thaw() },
    ]

    it.each(ways)('SECS-003 leaves each replica its share at once when it is $way, and is used again after recovery', async ({
      go,
      back,
    }) => {
      const { stores, states } = await fleet()
      await go()
      try {
        const key = freshKey()
        const start = performance.now()
        expect(await admitted(stores, key, limit, 90)).toBe(30)
        expectWithin(performance.now() - start, 400)
        for (const store of stores) expect(await store.take(key, limit, 0)).toBeGreaterThan(0)

        // One replica alone has only its share, and calls do not wait for a server that is known to be down.
        const other = freshKey()
        const again = performance.now()
        expect(await admitted(stores.slice(0, 1), other, limit, 90)).toBe(10)
        expectWithin(performance.now() - again, 50)
        expect(states).toEqual([false, false, false])
      } finally {
        await back()
      }
      await comesBack(stores, states)
    })

    it('does not disable the limits of a replica that never connected', async () => {
      const store = server.unreachable({ replicas: 2 })
      expect(await admitted([store], freshKey(), { calls: 10, per: 'hour' }, 40)).toBe(5)
    })
  })
}
