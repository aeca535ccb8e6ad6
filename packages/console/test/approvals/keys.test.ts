import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KeyPress, keyActionOf } from '../../src/approvals/decide/use-keys.js'

const key = (name: string, more: Partial<KeyPress> = {}): KeyPress => ({
  ...{ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false, isComposing: false },
  ...more,
})
const list = { isInList: true, isAsked: false }
const call = { isInList: false, isAsked: false }
const asked = { isInList: false, isAsked: true }

describe('keys', () => {
  it('move with j and k everywhere, and with the arrows only in the list, because elsewhere the arrows scroll', () => {
    expect([keyActionOf(key('j'), call), keyActionOf(key('k'), call), keyActionOf(key('J'), list)]).toEqual([
      'next',
      'previous',
      'next',
    ])
    expect([keyActionOf(key('ArrowDown'), list), keyActionOf(key('ArrowUp'), list)]).toEqual(['next', 'previous'])
    expect(keyActionOf(key('ArrowDown'), call)).toBeUndefined()
  })

  it('allow with two steps, the second of which takes two keys', () => {
    expect(keyActionOf(key('a'), call)).toBe('ask-to-allow')
    expect(keyActionOf(key('Enter', { ctrlKey: true }), asked)).toBe('allow')
    expect(keyActionOf(key('Enter', { metaKey: true }), asked)).toBe('allow')
    expect(keyActionOf(key('d'), call)).toBe('deny')
    expect(keyActionOf(key('Escape'), asked)).toBe('back')
  })

  it('allow nothing without the first step', () => {
    expect(keyActionOf(key('Enter', { ctrlKey: true }), call)).toBeUndefined()
  })

  it('move on while they are held down, but decide nothing', () => {
    const held = { repeat: true }
    expect(keyActionOf(key('j', held), call)).toBe('next')
    expect(keyActionOf(key('a', held), call)).toBeUndefined()
    expect(keyActionOf(key('d', held), call)).toBeUndefined()
    expect(keyActionOf(key('Enter', { ...held, ctrlKey: true }), asked)).toBeUndefined()
  })

  it('leave key combinations to the browser', () => {
    expect(keyActionOf(key('a', { ctrlKey: true }), call)).toBeUndefined()
    expect(keyActionOf(key('d', { metaKey: true }), call)).toBeUndefined()
    expect(keyActionOf(key('Enter', { ctrlKey: true, shiftKey: true }), asked)).toBeUndefined()
  })

  it('never allow with a single key', () => {
    const anyKey = fc.record({
      key: fc.oneof(fc.string(), fc.constantFrom('Enter', ' ', 'a', 'y', 'constructor')),
      repeat: fc.boolean(),
    })
    fc.assert(
      fc.property(anyKey, fc.boolean(), fc.boolean(), ({ key: name, repeat }, isInList, isAsked) => {
        expect(keyActionOf(key(name, { repeat }), { isInList, isAsked })).not.toBe('allow')
      }),
    )
  })

  it('do nothing during the composition of characters', () => {
    expect(keyActionOf(key('a', { isComposing: true }), call)).toBeUndefined()
  })
})
