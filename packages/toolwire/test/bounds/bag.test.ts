import { describe, expect, it } from 'vitest'
import { Bag } from '../../src/bounds/bag.js'

const thing = (name: string) => ({ name, place: 0 })

describe('a bag', () => {
  it('holds an item until it is removed', () => {
    const bag = new Bag<ReturnType<typeof thing>>()
    const [a, b, c] = [thing('a'), thing('b'), thing('c')]
    for (const one of [a, b, c]) bag.add(one)
    bag.delete(a)
    expect(new Set(bag.all())).toEqual(new Set([b, c]))
    bag.delete(c)
    bag.delete(b)
    expect([bag.size, bag.all()]).toEqual([0, []])
  })

  it('loses nothing when an absent item is removed', () => {
    const bag = new Bag<ReturnType<typeof thing>>()
    const [a, b] = [thing('a'), thing('b')]
    bag.add(a)
    bag.add(b)
    bag.delete(a)
    bag.delete(a)
    bag.delete(thing('stranger'))
    expect(bag.all()).toEqual([b])
    expect(bag.find(({ name }) => name === 'b')).toBe(b)
  })

  it('returns all its items when it is emptied', () => {
    const bag = new Bag<ReturnType<typeof thing>>()
    const a = thing('a')
    bag.add(a)
    expect([bag.clear(), bag.size]).toEqual([[a], 0])
  })
})
