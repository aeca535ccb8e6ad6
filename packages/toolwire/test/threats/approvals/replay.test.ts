// A hundred attempts to use one approval.
import { setMaxListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/policy/approve/approval.js'
import { approvalQueue } from '../../../src/policy/approve/approval-queue.js'
import { approve } from '../../../src/policy/approve/index.js'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import type { Policy } from '../../../src/policy/policy.js'
import { decideIn, waitingIn } from '../../policy/approve/pending-approval.js'
import { callOf, done, through } from '../../policy/call.js'
import '../../reported-faults.js'
import { Rounder } from '../../server/questions/rounds.js'
import { allow, bank, keyOf, pay } from './bank.js'

const hundred = Array.from({ length: 100 })

describe('an approval that is used a hundred times at once', () => {
  it('MRTR-010 allows one call if it is the state of a round', async () => {
    const { app, paid } = bank()
    const client = new Rounder(app)
    const asked = await client.asked('tools/call', pay)
    const answered = { ...pay, inputResponses: { [keyOf(asked)]: allow }, requestState: asked.requestState ?? '' }
    const replies = await Promise.all(hundred.map(() => client.send('tools/call', answered)))
    expect(paid).toEqual([5])
    expect(replies.filter(({ error }) => error?.code === -32602)).toHaveLength(99)
  })

  it('MRTR-010 allows one call in all its later rounds, too', async () => {
    const { app, paid } = bank()
    const client = new Rounder(app)
    const given = { ...pay, name: 'payWho' }
    const first = await client.asked('tools/call', given)
    const second = await client.asked('tools/call', {
      ...given,
      inputResponses: { [keyOf(first)]: allow },
      requestState: first.requestState ?? '',
    })
    const who = { who: { action: 'accept', content: { name: 'Ada' } } }
    const last = { ...given, inputResponses: who, requestState: second.requestState ?? '' }
    await Promise.all(hundred.map(() => client.send('tools/call', last)))
    expect(paid).toEqual([5])
  })

  it('allows one call if identical calls are repeated', async () => {
    const store = memoryApprovals()
    const policy = approve({ ask: approvalQueue(store, { hold: false }) })
    await through(policy, callOf())
    const [request] = await store.pending()
    store.decide(request?.id ?? '', 'allow')
    const outcomes = await Promise.all(hundred.map(() => through(policy, callOf())))
    expect(outcomes.flatMap(({ sent }) => sent)).toHaveLength(1)
    expect(outcomes.filter(({ refusal }) => refusal?.reason === 'not-approved')).toHaveLength(99)
    expect((await store.pending()).length).toBeLessThanOrEqual(1)
  })

  it('allows one call if a hundred identical calls wait', async () => {
    const store = memoryApprovals()
    const policy = approve({ ask: approvalQueue(store) })
    const outcomes = hundred.map(() => through(policy, callOf()))
    const [request, ...others] = await waitingIn(store, 100)
    expect(new Set([request, ...others].map((one) => one?.digest)).size).toBe(100)
    store.decide(request?.id ?? '', 'allow')
    for (const { id } of others) store.decide(id, 'deny')
    expect((await Promise.all(outcomes)).flatMap(({ sent }) => sent)).toHaveLength(1)
  })

  it('allows one call if another process takes the approval from the store first', async () => {
    const store = memoryApprovals()
    const hook = approvalQueue(store)
    const policy = approve({
      ask: async (request, call) => {
        const answer = await hook(request, call)
        expect(store.release(request.id, request.digest)).toBe(true)
        return answer
      },
    })
    const outcome = through(policy, callOf())
    await decideIn(store, 'allow')
    const { refusal, sent } = await outcome
    expect(refusal).toMatchObject({ reason: 'not-approved', message: expect.stringContaining('already used') })
    expect(sent).toEqual([])
  })

  it('allows one call if an outer policy repeats the call in the same round', async () => {
    const shown: ApprovalRequest[] = []
    const eager: Policy = {
      name: 'eager',
      call: async (call, next) => {
        await Promise.allSettled(hundred.slice(1).map(() => next(call)))
        return next(call)
      },
    }
    const ask = (request: ApprovalRequest) => (shown.push(request) === 1 ? 'allow' : 'deny')
    const approving = approve({ ask })
    const recorded = new Map<string, Promise<unknown>>()
    // As in a server, an effect under a key runs only once.
    const once = (key: string, effect: () => unknown) => {
      const running = recorded.get(key) ?? Promise.resolve().then(effect)
      recorded.set(key, running)
      return running
    }
    const call = callOf()
    setMaxListeners(0, call.context.signal) // a hundred approvers listen to it at once
    const context = { ...call.context, once } as typeof call.context // the type is as wide as the effect
    const sent: unknown[] = []
    const next = async () => {
      sent.push(1)
      return done
    }
    await eager.call?.({ ...call, context }, (passed) => approving.call?.(passed, next) ?? next()).catch(() => undefined)
    expect(shown).toHaveLength(100)
    expect(sent).toHaveLength(1)
  })
})
