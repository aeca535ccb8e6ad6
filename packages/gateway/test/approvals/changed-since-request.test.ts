// The refusal to approve a call about which something has changed.
import { expect, it } from 'vitest'
import { changedSinceRequest } from '../../src/approvals/decide-approvals.js'

it.each([
  [['tool'], 'The tool is no longer offered, so'],
  [['definition', 'policy'], 'The definition and the policy changed since the request, so'],
  [['tool', 'policy'], 'The tool is no longer offered, and the policy changed since the request, so'],
] as const)('the refusal of an approval says what has changed: %s', (changes, reason) => {
  expect(changedSinceRequest(changes)).toBe(`${reason} the call would not be made. Deny it`)
})
