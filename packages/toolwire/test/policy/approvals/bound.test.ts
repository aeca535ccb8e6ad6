import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/json.js'
import { type Bound, boundBy, changedBetween, digestOf } from '../../../src/policy/approvals/bound.js'
import { sha256 } from '../../../src/policy/digests.js'
import { callOf, toolOf } from '../call.js'

const bound: Bound = {
  caller: 'eve',
  server: 'mail',
  tool: 'send',
  definitionHash: 'sha256:0',
  arguments: { to: 'ada', copies: [1, 2] },
  policyVersion: '7',
}
const issue = { id: 'one', expiresAt: 1_000 }

describe('what an answer is bound to', () => {
  it('is hashed in its canonical form', () => {
    expect(digestOf(bound, issue)).toBe(sha256(canonicalJson({ ...bound, ...issue })))
    expect(digestOf({ ...bound, arguments: { copies: [1, 2], to: 'ada' } }, issue)).toBe(digestOf(bound, issue))
  })

  it.each([
    { caller: 'bob' },
    { server: 'Mail' },
    { server: undefined },
    { serverIdentity: 'v1:b' },
    { tool: 'send ' },
    { definitionHash: 'sha256:1' },
    { arguments: { to: 'ada', copies: [2, 1] } },
    { arguments: { to: 'ada', copies: [1, 2], more: null } },
    { policyVersion: '8' },
    { policyVersion: undefined },
  ])('is another one with %o', (change) => {
    const other = { ...bound, ...change }
    expect(digestOf(other)).not.toBe(digestOf(bound))
    expect(digestOf(other, issue)).not.toBe(digestOf(bound, issue))
    expect(changedBetween(bound, other)).toHaveLength(1)
  })

  it.each([{ id: 'two' }, { expiresAt: 1_001 }])('is another one for each request: %o', (change) => {
    expect(digestOf(bound, { ...issue, ...change })).not.toBe(digestOf(bound, issue))
  })

  it('is not the same for nothing and for something called so', () => {
    expect(digestOf({ ...bound, server: 'null' })).not.toBe(digestOf({ ...bound, server: undefined }))
    expect(digestOf({ ...bound, policyVersion: '' })).not.toBe(digestOf({ ...bound, policyVersion: undefined }))
  })

  it('sees a definition that is changed in place', () => {
    const call = callOf({}, toolOf())
    const before = boundBy(call, call.tool, undefined)
    call.tool.listed.description = 'Sends everything.'
    expect(changedBetween(before, boundBy(call, call.tool, undefined))).toEqual(['the definition of the tool'])
  })
})
