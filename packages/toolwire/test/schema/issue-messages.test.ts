import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/json.js'
import { compile } from '../../src/schema/index.js'

const messagesFor = (schema: Json, value: unknown) =>
  compile(schema)
    .check(value)
    .map(({ path, message }) => `${path}: ${message}`)

describe('the messages for a refused value', () => {
  it.each<[Json, unknown, string]>([
    [{ type: 'integer' }, '5', ': expected an integer, got the string "5"'],
    [{ type: ['string', 'null'] }, [1, 2], ': expected a string or null, got an array of 2 items'],
    [{ properties: { a: { items: { type: 'string' } } } }, { a: ['x', 3] }, '/a/1: expected a string, got the number 3'],
    [{ properties: { 'a/b~c': false } }, { 'a/b~c': 1 }, '/a~1b~0c: expected no value here, got the number 1'],
    [{ required: ['query'] }, {}, ': missing required property "query"'],
    [
      { properties: { query: {} }, additionalProperties: false },
      { querry: 1 },
      "/querry: unknown property 'querry', did you mean 'query'?",
    ],
    [{ properties: { query: {} }, additionalProperties: false }, { zzz: 1 }, "/zzz: unknown property 'zzz'"],
    [
      { properties: { query: {} }, unevaluatedProperties: false },
      { Query: 1 },
      "/Query: unknown property 'Query', did you mean 'query'?",
    ],
    [{ enum: ['dev', 'prod'] }, 'test', ': expected one of "dev" or "prod", got the string "test"'],
    [{ const: { a: 1 } }, {}, ': expected {"a":1}, got an empty object'],
    [{ minimum: 3 }, 2, ': expected a number that is at least 3, got the number 2'],
    [{ maxLength: 1 }, 'ab', ': expected a string of at most 1 character, got the string "ab"'],
    [{ pattern: '^a' }, 'b', ': expected a string that matches ^a, got the string "b"'],
    [{ uniqueItems: true }, [1, { a: 1 }, { a: 1 }], ': item 2 repeats item 1; each item may occur once'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 3, ': expected a string, or null, got the number 3'],
    [
      { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      3,
      ': expected a value that fits exactly one of 2 alternatives, but it fits 2, got the number 3',
    ],
  ])('say for %j and %j', (schema, value, words) => {
    expect(messagesFor(schema, value)).toEqual([words])
  })

  it('describe the closest of several alternatives', () => {
    const shape = (kind: string, size: Json) => ({ properties: { kind: { const: kind }, size }, required: ['kind', 'size'] })
    const schema = { anyOf: [shape('circle', { type: 'number' }), shape('text', { type: 'string' })] }
    expect(messagesFor(schema, { kind: 'text', size: 3 })).toEqual(['/size: expected a string, got the number 3'])
  })

  it('list all issues at once, but at most ten', () => {
    const schema = { properties: { a: { type: 'string' }, b: { minimum: 3 } }, required: ['c'] }
    expect(
      compile(schema)
        .check({ a: 1, b: 1 })
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['', '/a', '/b'])
    expect(compile({ items: false, uniqueItems: true }).check([])).toEqual([])
    expect(compile({ items: { type: 'string' } }).check(Array.from({ length: 100 }, () => 1))).toHaveLength(10)
  })

  it('shorten long data and long lists', () => {
    const [long] = compile({ type: 'number' }).check('x'.repeat(100_000))
    expect(long!.message.length).toBeLessThan(120)
    const [many] = compile({ enum: Array.from({ length: 500 }, (_, index) => `choice ${index}`) }).check('x')
    expect(many!.message).toContain('(490 more)')
    expect(many!.message.length).toBeLessThan(500)
  })

  it('treat an undefined property as absent, as JSON does', () => {
    const schema = { properties: { a: { type: 'string' } }, additionalProperties: false }
    expect(compile(schema).check({ a: undefined, b: undefined })).toEqual([])
    expect(compile({ required: ['a'] }).check({ a: undefined })).toHaveLength(1)
  })
})
