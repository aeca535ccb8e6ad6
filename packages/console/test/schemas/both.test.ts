import { describe, expect, it } from 'vitest'
import { both } from '../../src/schemas/both.js'

describe('two schemas for one value', () => {
  it('leave what both allow', () => {
    expect(both({ type: ['string', 'number'] }, { type: ['integer', 'string'] }).type).toEqual(['string', 'integer'])
    expect(both({ enum: ['a', 'b', 1] }, { enum: [1, 'b', 'c'] }).enum).toEqual(['b', 1])
    expect(both({ minimum: 1, maxLength: 5 }, { minimum: 3, maxLength: 9 })).toEqual({ minimum: 3, maxLength: 5 })
  })

  it('ask for what either asks for', () => {
    expect(both({ required: ['a', 'b'] }, { required: ['b', 'c'] }).required).toEqual(['a', 'b', 'c'])
  })

  it('hold both for a member that both describe, and keep the order of the first', () => {
    const { properties } = both({ properties: { b: { minimum: 1 }, a: {} } }, { properties: { c: {}, b: { maximum: 2 } } })
    expect(Object.entries(properties ?? {})).toEqual([
      ['b', { allOf: [{ minimum: 1 }, { maximum: 2 }] }],
      ['a', {}],
      ['c', {}],
    ])
  })

  it('are called as the first is', () => {
    expect(both({ title: 'One' }, { title: 'Other', description: 'More' })).toEqual({ title: 'One', description: 'More' })
  })
})
