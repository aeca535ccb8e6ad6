// For any sequence of operations, each request is decided once and used once, within its time limit.
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import { howMany } from '../../soak.js'
import { asked } from './pending-approval.js'

const waitMs = 100

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const which = fc.nat(3)
const step = fc.oneof(
  fc.record({ act: fc.constant('decide' as const), which, answer: fc.constantFrom('allow' as const, 'deny' as const) }),
  fc.record({ act: fc.constant('release' as const), which, right: fc.boolean() }),
  fc.record({ act: fc.constant('withdraw' as const), which }),
  fc.record({ act: fc.constant('wait' as const), ms: fc.nat(waitMs) }),
)

it('a request is approved once, used once, and never changes after its time limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      async (steps, held) => {
        const clock = { now: 0 }
        const store = memoryApprovals(() => clock.now)
        const requests = held.map((one) => asked({ held: one, expiresAt: Date.now() + waitMs }))
        for (const request of requests) expect(await store.add(request, 10)).toBe('added')
        const states = requests.map(() => 'pending')
        for (const now of steps) {
          if (now.act === 'wait') {
            clock.now += now.ms
            if (clock.now >= waitMs) states.fill('over')
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
        const pending = requests.filter((_, index) => states[index] === 'pending')
        expect(await store.pending()).toEqual(pending)
      },
    ),
    { numRuns: howMany(50, 500) },
  )
})
