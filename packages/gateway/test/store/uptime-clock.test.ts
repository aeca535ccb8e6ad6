import fc from 'fast-check'
import type { Grant } from 'toolwire/guard'
import { expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { uptimeClock } from '../../src/bounds/uptime-clock.js'
import { newStore } from '../support/stores.js'

/** A machine whose monotonic clock stands still while it sleeps. */
function machine() {
  const at = { awake: 5, sinceBoot: 90_000 }
  const now = uptimeClock(
    () => at.awake,
    () => at.sinceBoot,
  )
  return { at, now }
}

it('the clock counts running and sleeping', () => {
  const sleep = fc.option(fc.integer({ min: 2_000, max: 1_000_000_000 }), { nil: 0 })
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1_000, max: 100_000 }), sleep), { maxLength: 20 }), (times) => {
      const { at, now } = machine()
      for (const [runs, sleeps] of times) {
        const before = now()
        at.awake += runs
        at.sinceBoot += runs + sleeps
        expect(now() - before).toBe(runs + sleeps)
      }
    }),
    { numRuns: howMany(100, 2_000) },
  )
})

it('a standing approval ends while the machine sleeps', async () => {
  const { at, now } = machine()
  const store = await newStore({ now })
  const about = { caller: 'eve', server: 'mail', tool: 'send', definitionHash: 'sha256:0' }
  const grant: Grant = { id: 'a', ...about, expiresAt: Date.now() + 3_600_000 }
  await store.grants.add(grant)
  at.awake += 1_000
  at.sinceBoot += 1_000
  expect(await store.grants.list()).toHaveLength(1)
  at.awake += 1_000
  at.sinceBoot += 216_000_000
  expect(await store.grants.list()).toEqual([])
})
