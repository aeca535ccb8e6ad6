import { describe, expect, it } from 'vitest'
import { changesBetween, same } from '../../src/approvals/changes.js'
import { staleWords } from '../../src/approvals/stale.js'

describe('changes since the last approved call', () => {
  it('names what is new, what differs and what is gone', () => {
    const before = { path: '/srv/a', mode: 'append', force: true }
    const after = { path: '/srv/b', mode: 'append', content: 'x' }
    expect(changesBetween(before, after)).toEqual([
      { name: 'path', kind: 'changed', before: '/srv/a', after: '/srv/b' },
      { name: 'content', kind: 'added', before: '', after: 'x' },
      { name: 'force', kind: 'removed', before: true, after: '' },
    ])
    expect(changesBetween(after, after)).toEqual([])
  })

  it('sees an argument whose name every object has', () => {
    expect(changesBetween({}, JSON.parse('{"__proto__":1}'))).toMatchObject([{ name: '__proto__', kind: 'added' }])
    expect(changesBetween({}, { toString: 'x' })).toMatchObject([{ name: 'toString', kind: 'added' }])
  })

  it('does not mind the order of members, and minds that of lists', () => {
    expect(same({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toBe(true)
    expect(same([1, 2], [2, 1])).toBe(false)
    expect(same({ 0: 'a' }, ['a'])).toBe(false)
    expect([same(1, '1'), same(null, {}), same({}, null), same({ a: 1 }, { b: 1 })]).toEqual([false, false, false, false])
  })
})

describe('a call that cannot be allowed any more', () => {
  const call = { arguments: {} } as unknown as Parameters<typeof staleWords>[0] // nothing else of it is looked at

  it('says what has changed, and what to do', () => {
    expect(staleWords(call)).toBeUndefined()
    expect(staleWords({ ...call, changes: ['policy'] })).toContain('The rules have changed')
    expect(staleWords({ ...call, changed: true })).toContain('The definition of the tool has changed')
    expect(staleWords({ ...call, changes: ['tool', 'policy'] })).toContain('not there any more')
  })
})
