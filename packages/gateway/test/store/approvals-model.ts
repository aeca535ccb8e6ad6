// A store of approvals beside a model of it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { asked } from '../support/approval-requests.js'
import type { Opened } from './approvals-suite.js'

/** Steps of the clock that the time which really passes does not make up for. */
const stepMs = 100_000
const waitMs = 9.5 * stepMs
const which = fc.nat(3)
const step = fc.oneof(
  fc.record({ act: fc.constant('decide' as const), which, answer: fc.constantFrom('allow' as const, 'deny' as const) }),
  fc.record({ act: fc.constant('release' as const), which, right: fc.boolean() }),
  fc.record({ act: fc.constant('withdraw' as const), which }),
  fc.record({ act: fc.constant('wait' as const), ms: fc.nat(10).map((steps) => steps * stepMs) }),
)

export function approvalsModel(name: string, opened: () => Promise<Opened>): void {
  describe(`${name}, whatever is done in whatever order`, () => {
    it('a request is allowed once, used once, and nothing happens to it after its time', async () => {
      const { store, wait } = await opened()
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 20 }),
          fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
          async (steps, held) => {
            let passed = 0
            const requests = held.map((one) => asked({ held: one, expiresAt: Date.now() + waitMs }))
            for (const request of requests) expect(await store.add(request, 10)).toBe('added')
            const states = requests.map(() => 'pending')
            for (const now of steps) {
              if (now.act === 'wait') {
                passed += now.ms
                await wait(now.ms)
                if (passed >= waitMs) states.fill('over')
                continue
              }
              const { id, digest, callDigest } = requests[now.which] ?? asked()
              const state = states[now.which]
              if (now.act === 'withdraw') {
                await store.withdraw(id)
                states[now.which] = 'over'
              } else if (now.act === 'decide') {
                expect(await store.decide(id, now.answer)).toBe(state === 'pending')
                if (state === 'pending') states[now.which] = now.answer
              } else {
                expect(await store.release(id, now.right ? digest : callDigest)).toBe(state === 'allow' && now.right)
                if (state === 'allow' && now.right) states[now.which] = 'over'
              }
            }
            expect(await store.pending()).toEqual(requests.filter((_, index) => states[index] === 'pending'))
            await wait(waitMs + 1)
          },
        ),
        { numRuns: howMany(12, 60) },
      )
    })
  })
}
