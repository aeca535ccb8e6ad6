import { describe, expect, it } from 'vitest'
import { argumentChanges, isSameJson } from '../../src/approvals/call/argument-changes.js'
import { staleReason } from '../../src/approvals/decide/use-decision.js'

describe('changes since the last approved call', () => {
  it('names added, changed and removed arguments', () => {
    const before = { path: '/srv/a', mode: 'append', force: true }
    const after = { path: '/srv/b', mode: 'append', content: 'x' }
    expect(argumentChanges(before, after)).toEqual([
      { name: 'path', kind: 'changed', before: '/srv/a', after: '/srv/b' },
      { name: 'content', kind: 'added', before: '', after: 'x' },
      { name: 'force', kind: 'removed', before: true, after: '' },
    ])
    expect(argumentChanges(after, after)).toEqual([])
  })

  it('notices an argument with the name of a property of every object', () => {
    expect(argumentChanges({}, JSON.parse('{"__proto__":1}'))).toMatchObject([{ name: '__proto__', kind: 'added' }])
    expect(argumentChanges({}, { toString: 'x' })).toMatchObject([{ name: 'toString', kind: 'added' }])
  })

  it('ignores the order of members, and respects the order of lists', () => {
    expect(isSameJson({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toBe(true)
    expect(isSameJson([1, 2], [2, 1])).toBe(false)
    expect(isSameJson({ 0: 'a' }, ['a'])).toBe(false)
    expect([isSameJson(1, '1'), isSameJson(null, {}), isSameJson({}, null), isSameJson({ a: 1 }, { b: 1 })]).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})

describe('a call that can no longer be allowed', () => {
  const call = { arguments: {} } as unknown as Parameters<typeof staleReason>[0] // `staleReason` reads nothing else

  it('says what has changed, and what to do next', () => {
    expect(staleReason(call)).toBeUndefined()
    expect(staleReason({ ...call, changes: ['policy'] })).toContain('The rules have changed')
    expect(staleReason({ ...call, changed: true })).toContain('The definition of the tool has changed')
    expect(staleReason({ ...call, changes: ['tool', 'policy'] })).toContain('no longer exists')
  })
})
