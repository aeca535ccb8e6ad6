import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from '../../../src/policy/approve/approval.js'
import { approvalQueue } from '../../../src/policy/approve/approval-queue.js'
import { approve } from '../../../src/policy/approve/index.js'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import { waitingIn } from '../../policy/approve/pending-approval.js'
import { callOf, through } from '../../policy/call.js'
import { Rounder } from '../../server/questions/rounds.js'
import { howMany } from '../../soak.js'
import { bank, keyOf, pay } from './bank.js'

const rounds = howMany(100, 500)
const pause = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('an approval and a denial at the same time', () => {
  it.each([true, false])('count once, and the call follows the one that counts, held: %s', async (hold) => {
    const store = memoryApprovals()
    const policy = approve({ ask: approvalQueue(store, { hold }) })
    const tally = { allowed: 0, denied: 0 }
    for (let round = 0; round < rounds; round++) {
      const call = callOf({ arguments: { round } })
      const waiting = through(policy, call)
      if (!hold) await waiting
      const [request] = await waitingIn(store)
      const say = async (answer: ApprovalAnswer, late: boolean) => {
        if (late) await pause()
        return { answer, counts: await store.decide(request?.id ?? '', answer) }
      }
      const late = round % 3
      const said = await Promise.all([
        say(round % 2 ? 'allow' : 'deny', late === 1),
        say(round % 2 ? 'deny' : 'allow', late === 2),
      ])
      const counted = said.filter(({ counts }) => counts)
      expect(counted).toHaveLength(1)
      const { sent, refusal } = await (hold ? waiting : through(policy, call))
      const allowed = counted[0]?.answer === 'allow'
      expect(sent).toHaveLength(allowed ? 1 : 0)
      if (!allowed) expect(refusal?.message).toContain('denied')
      tally[allowed ? 'allowed' : 'denied']++
    }
    expect(Math.min(tally.allowed, tally.denied)).toBeGreaterThan(rounds / 5)
  })

  it('count once from the calling client, whichever answer comes first', async () => {
    const { app, paid } = bank()
    const client = new Rounder(app)
    let refused = 0
    for (let round = 0; round < rounds; round++) {
      const asked = await client.asked('tools/call', pay)
      const answer = (decision: string) => ({
        ...pay,
        inputResponses: { [keyOf(asked)]: { action: 'accept', content: { decision } } },
        requestState: asked.requestState ?? '',
      })
      const order = round % 2 ? ['allow', 'deny'] : ['deny', 'allow']
      const before = paid.length
      const replies = await Promise.all(order.map((decision) => client.send('tools/call', answer(decision))))
      expect(replies.filter(({ error }) => error?.code === -32602)).toHaveLength(1)
      const counted = order[replies.findIndex(({ result }) => result !== undefined)]
      expect(paid.length - before).toBe(counted === 'allow' ? 1 : 0)
      refused += counted === 'allow' ? 0 : 1
    }
    expect(paid.length + refused).toBe(rounds)
    expect(Math.min(paid.length, refused)).toBeGreaterThan(0)
  })
})

describe('an approval and a cancellation at the same time', () => {
  it('send no cancelled call', async () => {
    for (let round = 0; round < rounds; round++) {
      const store = memoryApprovals()
      const controller = new AbortController()
      const waiting = through(approve({ ask: approvalQueue(store) }), callOf({ signal: controller.signal }))
      const id = (await waitingIn(store))[0]?.id ?? ''
      const abort = () => controller.abort(new Error('gone'))
      const decide = () => store.decide(id, 'allow')
      if (round % 2) [abort, decide].map((act) => act())
      else [decide, abort].map((act) => act())
      const { sent, refusal } = await waiting
      expect(sent).toEqual([])
      expect(refusal?.message).toBe('gone')
    }
  })
})
