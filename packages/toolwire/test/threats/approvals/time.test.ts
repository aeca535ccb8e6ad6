import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { approvalQueue } from '../../../src/policy/approve/approval-queue.js'
import { approve } from '../../../src/policy/approve/index.js'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import { decideIn, waitingIn } from '../../policy/approve/pending-approval.js'
import { callOf, done, through } from '../../policy/call.js'
import { Rounder, textOf } from '../../server/questions/rounds.js'
import { pause } from '../../waiting.js'
import { allow, bank, keyOf, pay } from './bank.js'

const day = 86_400_000
const waitMs = 600

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe('a clock that is set back', () => {
  it('does not extend the time for an approver', async () => {
    const policy = approve({
      waitMs,
      ask: async () => {
        vi.setSystemTime(Date.now() - day)
        await pause(2 * waitMs)
        return { allow: true }
      },
    })
    const { refusal, sent } = await through(policy, callOf())
    expect(refusal?.message).toContain('in time')
    expect(sent).toEqual([])
  })

  it.each([true, false])('does not extend the time for a queued approval, held: %s', async (hold) => {
    const store = memoryApprovals()
    const policy = approve({ waitMs, ask: approvalQueue(store, { hold }) })
    const outcome = through(policy, callOf())
    const id = (await waitingIn(store))[0]?.id ?? ''
    vi.setSystemTime(Date.now() - day)
    await pause(waitMs + 20)
    expect(store.decide(id, 'allow')).toBe(false)
    expect((await outcome).sent).toEqual([])
    if (!hold) expect((await through(policy, callOf())).refusal?.message).not.toContain(id)
  })

  it('does not extend the validity of an approval', async () => {
    const store = memoryApprovals()
    const policy = approve({ waitMs, ask: approvalQueue(store, { hold: false }) })
    await through(policy, callOf())
    await decideIn(store, 'allow')
    vi.setSystemTime(Date.now() - day)
    await pause(waitMs + 20)
    expect((await through(policy, callOf())).sent).toEqual([])
  })

  it('does not extend the time between two rounds of a call', async () => {
    const { app, paid } = bank({ waitMs })
    const client = new Rounder(app)
    const asked = await client.asked('tools/call', pay)
    vi.setSystemTime(Date.now() - day)
    await pause(waitMs + 20)
    const late = { inputResponses: { [keyOf(asked)]: allow }, requestState: asked.requestState ?? '' }
    expect(textOf(await client.call('pay', { ...pay, ...late }))).toContain('in time')
    expect(paid).toEqual([])
  })
})

describe('a clock that is set forward', () => {
  it('does not shorten the time for a queued approval', async () => {
    const store = memoryApprovals()
    const outcome = through(approve({ ask: approvalQueue(store) }), callOf())
    await waitingIn(store)
    vi.setSystemTime(Date.now() + day)
    expect(await decideIn(store, 'allow')).toBe(true)
    expect((await outcome).result).toBe(done)
  })
})

it('a round that reaches another process after its time limit has no effect', async () => {
  const secret = 'a secret that two replicas share, long enough'
  const [here, there] = [bank({ waitMs: 1_000, secret }), bank({ waitMs: 1_000, secret })]
  const asked = await new Rounder(here.app).asked('tools/call', pay)
  vi.setSystemTime(Date.now() + 1_001)
  const late = { inputResponses: { [keyOf(asked)]: allow }, requestState: asked.requestState ?? '' }
  expect(textOf(await new Rounder(there.app).call('pay', { ...pay, ...late }))).toContain('in time')
  const again = await new Rounder(here.app).asked('tools/call', pay)
  const soon = { inputResponses: { [keyOf(again)]: allow }, requestState: again.requestState ?? '' }
  expect(textOf(await new Rounder(there.app).call('pay', { ...pay, ...soon }))).toBe('paid 5')
  expect([here.paid, there.paid]).toEqual([[], [5]])
})
