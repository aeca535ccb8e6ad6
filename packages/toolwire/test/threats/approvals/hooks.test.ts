// Approvers that fail, stay silent or give an odd answer.
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from '../../../src/policy/approve/approval.js'
import { approvalQueue } from '../../../src/policy/approve/approval-queue.js'
import { approve } from '../../../src/policy/approve/index.js'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import type { ApprovalStore } from '../../../src/policy/approve/store.js'
import { Refusal } from '../../../src/tools/refusal.js'
import { SuspendedForInput } from '../../../src/tools/suspension.js'
import { callOf, done, through } from '../../policy/call.js'

const odd: [string, () => unknown][] = [
  ['throws', () => JSON.parse('{')],
  ['rejects with undefined', () => Promise.reject(undefined)],
  ['returns undefined', () => undefined],
  ['returns true', () => true],
  ['returns a list with an approval', () => ['allow']],
  ['both allows and denies', () => ({ allow: true, deny: 'no' })],
  ['has a release that is not a function', () => ({ allow: true, release: true })],
  ['has a release that returns false', () => ({ allow: true, release: () => false })],
  ['has a release that returns a string', () => ({ allow: true, release: () => 'yes' })],
  ['has a release that resolves to undefined', () => ({ allow: true, release: async () => undefined })],
  ['has a release that rejects', () => ({ allow: true, release: () => Promise.reject(new Error('disk')) })],
  [
    'returns an answer that throws when it is read',
    () => new Proxy({}, { has: () => JSON.parse('{'), get: () => JSON.parse('{') }),
  ],
  ['returns an approval as a String object', () => new String('allow')],
]

describe('an approver that', () => {
  it.each(odd)('UX-005 %s has not approved', async (_, ask) => {
    const { refusal, sent } = await through(approve({ ask: ask as () => ApprovalAnswer }), callOf())
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(sent).toEqual([])
  })

  it('UX-007 never answers has not approved', async () => {
    const { refusal, sent } = await through(approve({ ask: () => new Promise(() => undefined), waitMs: 20 }), callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved', message: expect.stringContaining('in time') })
    expect(sent).toEqual([])
  })

  it('answers after the time limit has not approved', async () => {
    const release = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 60))
    const { refusal, sent } = await through(approve({ ask: () => ({ allow: true, release }), waitMs: 20 }), callOf())
    expect(refusal?.message).toContain('in time')
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(sent).toEqual([])
  })

  it('depends on a failing store has not approved', async () => {
    const fails = () => Promise.reject(new Error('disk'))
    const broken: Partial<ApprovalStore>[] = [{ add: fails }, { settled: fails, withdraw: fails }, { release: fails }]
    for (const part of broken) {
      const store = memoryApprovals()
      store.onChange(() => void Promise.resolve(store.pending()).then((all) => all.map(({ id }) => store.decide(id, 'allow'))))
      const { refusal, sent } = await through(approve({ ask: approvalQueue({ ...store, ...part }) }), callOf())
      expect(refusal).toMatchObject({ reason: 'not-approved' })
      expect(sent).toEqual([])
    }
    const lost = approve({ ask: approvalQueue({ ...memoryApprovals(), matching: fails }, { hold: false }) })
    expect((await through(lost, callOf())).refusal).toMatchObject({ reason: 'not-approved' })
  })
})

it('an interruption for a question passes through unchanged, and frees its slot', async () => {
  const suspended = new SuspendedForInput('Waiting')
  let asks = 0
  const ask = () => {
    if (asks++ < 5) throw suspended
    return 'allow' as const
  }
  const policy = approve({ ask, mostPending: 1 })
  for (let n = 0; n < 5; n++) expect((await through(policy, callOf())).refusal).toBe(suspended)
  expect((await through(policy, callOf())).result).toBe(done)
})
