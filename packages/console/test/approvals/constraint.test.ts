import fc from 'fast-check'
import { compile } from 'toolwire/schema'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/types.js'
import {
  constraintOf,
  grantDurations,
  grantRequestKey,
  isUnconstrained,
  maxGrantMs,
  narrowest,
  withEqual,
} from '../../src/approvals/grants/constraint.js'

const fits = (schema: JsonObject, args: JsonObject) => compile(schema).check(args).length === 0
const call: JsonObject = { env: 'dev', version: 3, flags: ['a', { b: null }] }

describe('constraint', () => {
  it('is the very same call by default', () => {
    const schema = constraintOf(call, narrowest(call))
    expect(schema).toEqual({
      type: 'object',
      properties: { env: { const: 'dev' }, version: { const: 3 }, flags: { const: ['a', { b: null }] } },
      required: ['env', 'version', 'flags'],
      additionalProperties: false,
    })
    expect(fits(schema, call)).toBe(true)
    expect(fits(schema, { ...call, env: 'prod' })).toBe(false)
    expect(fits(schema, { ...call, force: true })).toBe(false)
    expect(fits(schema, { env: 'dev', version: 3 })).toBe(false)
  })

  it('frees one argument, and only that one', () => {
    const schema = constraintOf(call, withEqual(narrowest(call), 'version', false))
    expect(fits(schema, { ...call, version: 4 })).toBe(true)
    expect(fits(schema, { env: 'dev', flags: ['a', { b: null }] })).toBe(true)
    expect(fits(schema, { ...call, version: 4, env: 'prod' })).toBe(false)
    expect(fits(schema, { ...call, force: true })).toBe(false)
  })

  it('admits additional arguments if that is chosen', () => {
    const schema = constraintOf(call, { equal: new Set(['env']), isClosed: false })
    expect(schema).toEqual({ type: 'object', properties: { env: { const: 'dev' } }, required: ['env'] })
    expect(fits(schema, { env: 'dev', force: true })).toBe(true)
    expect(fits(schema, { force: true })).toBe(false)
  })

  it('is recognized when it restricts nothing', () => {
    expect(isUnconstrained({ equal: new Set(), isClosed: false })).toBe(true)
    expect(isUnconstrained({ equal: new Set(), isClosed: true })).toBe(false)
    expect(isUnconstrained({ equal: new Set(['env']), isClosed: false })).toBe(false)
  })

  it('can be widened and narrowed again', () => {
    const less = withEqual(narrowest(call), 'env', false)
    expect(constraintOf(call, withEqual(less, 'env', true))).toEqual(constraintOf(call, narrowest(call)))
  })

  it('has a name that distinguishes any two choices', () => {
    const narrow = { choice: narrowest(call), forMs: 1_000 }
    const wishes = [
      narrow,
      { ...narrow, forMs: 2_000 },
      { ...narrow, choice: { ...narrow.choice, isClosed: false } },
      { ...narrow, choice: withEqual(narrow.choice, 'env', false) },
    ]
    expect(new Set(wishes.map(grantRequestKey)).size).toBe(4)
    expect(grantRequestKey({ ...narrow, choice: narrowest({ flags: [], version: 3, env: 'dev' }) })).toBe(grantRequestKey(narrow))
  })

  it('binds arguments whose names have a meaning in JavaScript', () => {
    const odd = JSON.parse('{"__proto__":1,"constructor":2}') as JsonObject
    const schema = constraintOf(odd, narrowest(odd))
    expect(JSON.stringify(schema)).toContain('"__proto__":{"const":1}')
    expect(fits(schema, odd)).toBe(true)
    expect(fits(schema, JSON.parse('{"__proto__":9,"constructor":2}'))).toBe(false)
  })

  it('is satisfied by the call from which it was made, whatever is chosen', () => {
    const args = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonObject>, { maxKeys: 6 })
    fc.assert(
      fc.property(args, fc.array(fc.string()), fc.boolean(), (given, some, isClosed) => {
        const names = Object.keys(given).filter((name, index) => some.includes(name) || index % 2 === 0)
        expect(fits(constraintOf(given, { equal: new Set(names), isClosed }), given)).toBe(true)
      }),
    )
  })
})

it('never lasts longer than 8 hours', () => {
  expect(maxGrantMs).toBe(8 * 3_600_000)
  expect(Math.max(...grantDurations.map(([ms]) => ms))).toBe(maxGrantMs)
})
