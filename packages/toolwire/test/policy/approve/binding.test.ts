import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/json.js'
import { type ApprovalBinding, bindingDigest, bindingOf, changedFacts } from '../../../src/policy/approve/binding.js'
import { sha256 } from '../../../src/policy/hash/hashing.js'
import { callOf, toolOf } from '../call.js'

const bound: ApprovalBinding = {
  caller: 'eve',
  server: 'mail',
  tool: 'send',
  definitionHash: 'sha256:0',
  arguments: { to: 'ada', copies: [1, 2] },
  policyVersion: '7',
}
const issue = { id: 'one', expiresAt: 1_000 }

describe('the digest of a request', () => {
  it('is computed from its canonical form', () => {
    expect(bindingDigest(bound, issue)).toBe(sha256(canonicalJson({ ...bound, ...issue })))
    expect(bindingDigest({ ...bound, arguments: { copies: [1, 2], to: 'ada' } }, issue)).toBe(bindingDigest(bound, issue))
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
  ])('changes with %o', (change) => {
    const other = { ...bound, ...change }
    expect(bindingDigest(other)).not.toBe(bindingDigest(bound))
    expect(bindingDigest(other, issue)).not.toBe(bindingDigest(bound, issue))
    expect(changedFacts(bound, other)).toHaveLength(1)
  })

  it.each([{ id: 'two' }, { expiresAt: 1_001 }])('differs for each request: %o', (change) => {
    expect(bindingDigest(bound, { ...issue, ...change })).not.toBe(bindingDigest(bound, issue))
  })

  it('differs for an absent value and its name', () => {
    expect(bindingDigest({ ...bound, server: 'null' })).not.toBe(bindingDigest({ ...bound, server: undefined }))
    expect(bindingDigest({ ...bound, policyVersion: '' })).not.toBe(bindingDigest({ ...bound, policyVersion: undefined }))
  })

  it('changes when a definition is modified in place', () => {
    const call = callOf({}, toolOf())
    const before = bindingOf(call, call.tool, undefined)
    call.tool.listed.description = 'Sends everything.'
    expect(changedFacts(before, bindingOf(call, call.tool, undefined))).toEqual(['the definition of the tool'])
  })
})
