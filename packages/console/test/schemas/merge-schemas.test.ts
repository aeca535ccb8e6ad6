import { describe, expect, it } from 'vitest'
import { mergeSchemas } from '../../src/schemas/merge-schemas.js'

describe('two merged schemas for one value', () => {
  it('allow only values that both allow', () => {
    expect(mergeSchemas({ type: ['string', 'number'] }, { type: ['integer', 'string'] }).type).toEqual(['string', 'integer'])
    expect(mergeSchemas({ enum: ['a', 'b', 1] }, { enum: [1, 'b', 'c'] }).enum).toEqual(['b', 1])
    expect(mergeSchemas({ minimum: 1, maxLength: 5 }, { minimum: 3, maxLength: 9 })).toEqual({ minimum: 3, maxLength: 5 })
  })

  it('require the members that either requires', () => {
    expect(mergeSchemas({ required: ['a', 'b'] }, { required: ['b', 'c'] }).required).toEqual(['a', 'b', 'c'])
  })

  it('apply both schemas to a common member, and keep the order of the first', () => {
    const { properties } = mergeSchemas(
      { properties: { b: { minimum: 1 }, a: {} } },
      { properties: { c: {}, b: { maximum: 2 } } },
    )
    expect(Object.entries(properties ?? {})).toEqual([
      ['b', { allOf: [{ minimum: 1 }, { maximum: 2 }] }],
      ['a', {}],
      ['c', {}],
    ])
  })

  it('have the title of the first', () => {
    expect(mergeSchemas({ title: 'One' }, { title: 'Other', description: 'More' })).toEqual({ title: 'One', description: 'More' })
  })
})
