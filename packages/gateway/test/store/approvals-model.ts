// Compares a store of approvals with a model.
import fc from 'fast-check'
import type { PendingApproval } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { asked } from '../support/approval-requests.js'
import type { OpenApprovals } from './approvals-suite.js'

/** One step of the model's clock, far longer than the test takes in real time. */
const stepMs = 100_000
const longest = 10
/** The capacity of the store, and the limit of pending requests for each caller. */
const room = 5
const mostPending = 2
const which = fc.nat(19)
const add = fc.record({
  act: fc.constant('add' as const),
  caller: fc.constantFrom('ada', 'bob', 'eve'),
  held: fc.boolean(),
  steps: fc.integer({ min: 1, max: longest }),
})
const step = fc.oneof(
  { weight: 4, arbitrary: add },
  fc.record({ act: fc.constant('decide' as const), which, answer: fc.constantFrom('allow' as const, 'deny' as const) }),
  fc.record({ act: fc.constant('release' as const), which, right: fc.boolean() }),
  fc.record({ act: fc.constant('withdraw' as const), which }),
  fc.record({ act: fc.constant('wait' as const), steps: fc.nat(4) }),
)

/** A request, and the step at which it expires. */
type Entry = { readonly request: PendingApproval; readonly end: number; state: 'pending' | 'allow' | 'deny' | 'over' }

export function approvalsModel(name: string, opened: OpenApprovals): void {
  describe(`${name}, under any sequence of operations`, () => {
    it('a request is allowed once, used once, has no effect after it expires, and counts until then', async () => {
      const { store, wait } = await opened(10_000 - room)
      await fc.assert(
        fc.asyncProperty(fc.noBias(fc.array(step, { maxLength: 40, size: 'max' })), async (steps) => {
          let passed = 0
          const entries: Entry[] = []
          const live = () => entries.filter(({ state, end }) => state !== 'over' && end > passed)
          const pending = () => live().flatMap(({ state, request }) => (state === 'pending' ? [request] : []))
          for (const now of steps) {
            if (now.act === 'wait') {
              passed += now.steps
              await wait(now.steps * stepMs)
              continue
            }
            if (now.act === 'add') {
              const { caller, held } = now
              const request = asked({ caller, held, expiresAt: Date.now() + (now.steps - 0.5) * stepMs })
              const isFull = live().length >= room || pending().filter((one) => one.caller === caller).length >= mostPending
              expect(await store.add(request, mostPending)).toBe(isFull ? 'full' : 'added')
              if (!isFull) entries.push({ request, end: passed + now.steps, state: 'pending' })
              continue
            }
            const entry = entries[now.which % entries.length]
            const state = entry && live().includes(entry) ? entry.state : 'over'
            const { id, digest, callDigest } = entry?.request ?? asked()
            let to = state
            if (now.act === 'withdraw') {
              await store.withdraw(id)
              to = 'over'
            } else if (now.act === 'decide') {
              expect(await store.decide(id, now.answer)).toBe(state === 'pending')
              if (state === 'pending') to = now.answer
            } else {
              const isReleased = state === 'allow' && now.right
              expect(await store.release(id, now.right ? digest : callDigest)).toBe(isReleased)
              if (isReleased) to = 'over'
            }
            if (entry) entry.state = to
          }
          expect(await store.pending()).toEqual(pending())
          await wait(longest * stepMs)
        }),
        { numRuns: howMany(12, 60) },
      )
    })
  })
}
