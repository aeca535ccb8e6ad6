// One table says for each reason of a refusal whether the call was made. Audit records and received labels use it.
import { expect, it } from 'vitest'
import { endingByThrow } from '../../src/policy/audit/record.js'
import { ReceivedLabels } from '../../src/policy/rules/received-labels.js'
import { rules } from '../../src/rules.js'
import { type Reason, Refusal } from '../../src/tools/refusal.js'
import { callOf } from '../policy/call.js'

const after = { 'timed-out': true, 'unsafe-result': true } as const
const unclear = ['busy', 'unrecorded'] as const
const before = ['unknown-tool', 'invalid-arguments', 'forbidden', 'rate-limited', 'not-approved', 'definition-changed'] as const
const every: readonly Reason[] = [...(Object.keys(after) as (keyof typeof after)[]), ...unclear, ...before]

it.each(every)('a call that ends with "%s" is recorded and labelled according to whether it was made', async (reason) => {
  const thrown = new Refusal(reason, 'no')
  const wasCalled = reason in after ? true : before.some((one) => one === reason) ? false : undefined
  expect(thrown.wasCalled).toBe(wasCalled)
  expect(endingByThrow(thrown, new AbortController().signal).outcome).toBe(wasCalled ? 'failed' : 'refused')
  const labels = new ReceivedLabels()
  const set = { rules: [], default: 'allow', labels: [{ name: 'private', when: { tool: 'send' } }] } as const
  const policy = rules(set, { received: labels })
  await expect(policy.call?.(callOf(), () => Promise.reject(thrown))).rejects.toBe(thrown)
  // The caller has received nothing only if the call certainly did not reach the tool.
  expect(labels.has('eve', 'private')).toBe(wasCalled !== false)
})
