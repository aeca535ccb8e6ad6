import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actOf, type Key } from '../../src/approvals/keys.js'

const key = (name: string, more: Partial<Key> = {}): Key => ({
  ...{ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false, isComposing: false },
  ...more,
})
const list = { isInList: true, isAsked: false }
const call = { isInList: false, isAsked: false }
const asked = { isInList: false, isAsked: true }

describe('keys', () => {
  it('moves with j and k everywhere, and with the arrows in the list, where they do not scroll', () => {
    expect([actOf(key('j'), call), actOf(key('k'), call), actOf(key('J'), list)]).toEqual(['next', 'previous', 'next'])
    expect([actOf(key('ArrowDown'), list), actOf(key('ArrowUp'), list)]).toEqual(['next', 'previous'])
    expect(actOf(key('ArrowDown'), call)).toBeUndefined()
  })

  it('allows with two steps, of which the second takes two keys', () => {
    expect(actOf(key('a'), call)).toBe('ask-to-allow')
    expect(actOf(key('Enter', { ctrlKey: true }), asked)).toBe('allow')
    expect(actOf(key('Enter', { metaKey: true }), asked)).toBe('allow')
    expect(actOf(key('d'), call)).toBe('deny')
    expect(actOf(key('Escape'), asked)).toBe('back')
  })

  it('allows nothing without the first step', () => {
    expect(actOf(key('Enter', { ctrlKey: true }), call)).toBeUndefined()
  })

  it('lets a key that is held down move on, and decide nothing', () => {
    const held = { repeat: true }
    expect(actOf(key('j', held), call)).toBe('next')
    expect(actOf(key('a', held), call)).toBeUndefined()
    expect(actOf(key('d', held), call)).toBeUndefined()
    expect(actOf(key('Enter', { ...held, ctrlKey: true }), asked)).toBeUndefined()
  })

  it('leaves the combinations of the browser alone', () => {
    expect(actOf(key('a', { ctrlKey: true }), call)).toBeUndefined()
    expect(actOf(key('d', { metaKey: true }), call)).toBeUndefined()
    expect(actOf(key('Enter', { ctrlKey: true, shiftKey: true }), asked)).toBeUndefined()
  })

  it('never allows by one key alone, whichever it is and however it comes', () => {
    const anyKey = fc.record({
      key: fc.oneof(fc.string(), fc.constantFrom('Enter', ' ', 'a', 'y', 'constructor')),
      repeat: fc.boolean(),
    })
    fc.assert(
      fc.property(anyKey, fc.boolean(), fc.boolean(), ({ key: name, repeat }, isInList, isAsked) => {
        expect(actOf(key(name, { repeat }), { isInList, isAsked })).not.toBe('allow')
      }),
    )
  })

  it('reads no keys while letters are being put together', () => {
    expect(actOf(key('a', { isComposing: true }), call)).toBeUndefined()
  })
})
