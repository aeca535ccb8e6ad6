import { describe, expect, it, vi } from 'vitest'
import type { Json, JsonObject } from '../../src/json.js'
import { compile, SchemaError } from '../../src/schema/index.js'
import { expectWithin } from '../soak.js'

const milliseconds = 50

/** Runs the function five times, and limits the CPU time of the fastest run, so that a busy machine does not matter. */
function within<T>(act: () => T): T {
  let best = Infinity
  let outcome: T | undefined
  for (let attempt = 0; attempt < 5 && best >= milliseconds; attempt++) {
    const start = process.cpuUsage()
    outcome = act()
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1_000)
  }
  expectWithin(best, milliseconds)
  // Set by the first round at the latest.
  return outcome as T
}

function refusal(schema: Json, trusted = false): string | undefined {
  try {
    compile(schema, { trusted })
    return undefined
  } catch (thrown) {
    return thrown instanceof SchemaError ? thrown.code : `not a SchemaError: ${thrown}`
  }
}

function nested(depth: number, keyword: string): Json {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < depth; level++) schema = { [keyword]: schema }
  return schema
}

function doubled(keyword: 'allOf' | 'anyOf' | 'oneOf', first: JsonObject, levels = 30): JsonObject {
  const $defs: JsonObject = { a0: first }
  for (let level = 1; level <= levels; level++) {
    const below = { $ref: `#/$defs/a${level - 1}` }
    $defs[`a${level}`] = { [keyword]: [below, below] }
  }
  return { $ref: `#/$defs/a${levels}`, $defs }
}

function deepValue(levels: number): unknown {
  let value: unknown[] = []
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

const numbers = (length: number) => Array.from({ length }, (_, index) => index)

describe('JSCH-012 hostile schemas end with a result or a refusal', () => {
  it.each([true, false])('a schema 20,000 levels deep is refused (trusted: %s)', (trusted) => {
    const schema = nested(20_000, 'items')
    expect(within(() => refusal(schema, trusted))).toBe('too-deep')
  })

  it('32 levels are allowed and 33 are not', () => {
    expect(refusal(nested(32, 'items'))).toBeUndefined()
    expect(refusal(nested(33, 'items'))).toBe('too-deep')
    expect(refusal(nested(500, 'not'), true)).toBeUndefined()
  })

  it('a schema that contains itself is refused', () => {
    const schema: JsonObject = {}
    schema.items = schema
    expect(within(() => refusal(schema, true))).toBe('too-deep')
  })

  it('2,000 subschemas are allowed and more are not', () => {
    const ofSize = (size: number) => ({ anyOf: numbers(size).map((only) => ({ const: only })) })
    expect(refusal(ofSize(1_999))).toBeUndefined()
    expect(refusal(ofSize(2_000))).toBe('too-many')
  })

  it('256 KiB is the limit', () => {
    expect(refusal({ description: 'x'.repeat(250_000) })).toBeUndefined()
    expect(refusal({ description: 'x'.repeat(270_000) })).toBe('too-large')
  })

  it.each(['allOf', 'oneOf', 'anyOf'] as const)('30 doubled levels of %s end by the step limit', (keyword) => {
    const value = keyword === 'allOf' ? 1 : 'x'
    for (const trusted of [true, false]) {
      const issues = within(() => compile(doubled(keyword, { type: 'integer' }), { trusted }).check(value))
      expect(issues).toMatchObject([{ path: '', keyword: 'budget' }])
    }
  })

  it('a step limit inside of not is still a refusal', () => {
    const bomb = doubled('allOf', { type: 'integer' })
    const schema = { not: { $ref: '#/$defs/a30' }, $defs: bomb.$defs! }
    expect(compile(schema).check(1)).toMatchObject([{ keyword: 'budget' }])
  })

  it('tracking evaluated properties costs steps', () => {
    const bomb = doubled('allOf', { properties: { x: { unevaluatedProperties: false } } })
    const issues = within(() => compile({ ...bomb, unevaluatedProperties: false }).check({ x: {} }))
    expect(issues).toMatchObject([{ keyword: 'budget' }])
  })

  it.each([
    ['a recursive schema', { items: { $ref: '#' } }],
    ['a schema that refers to itself only', { $ref: '#' }],
    ['uniqueItems', { items: { uniqueItems: true } }],
  ])('a value a million levels deep ends: %s', (_, schema) => {
    const value = [deepValue(1_000_000), []]
    const compiled = compile(schema)
    expect(within(() => compiled.check(value))).toMatchObject([{ path: '', keyword: 'too-deep' }])
  })

  it('insufficient stack space causes a refusal, too', () => {
    const compiled = compile({ items: { $ref: '#' } }, { limits: { descent: Infinity, steps: Infinity } })
    expect(compiled.check(deepValue(1_000_000))).toMatchObject([{ keyword: 'too-deep' }])
  })

  it('the next validation has all steps again', () => {
    const compiled = compile({ items: { $ref: '#' } })
    expect(compiled.check(deepValue(100_000))).toHaveLength(1)
    expect(compiled.check([[], [[]]])).toEqual([])
  })

  it('uniqueItems on many distinct lists of empty values', () => {
    const emptyPlaces = (bits: number) => Array.from({ length: 14 }, (_, at) => ((bits >> at) & 1 ? [] : {}))
    const values = Array.from({ length: 4_000 }, (_, bits) => emptyPlaces(bits))
    const compiled = compile({ uniqueItems: true })
    expect(compiled.check(values)).toEqual([])
    expect(compiled.check([...values, emptyPlaces(7)])).toMatchObject([{ message: expect.stringContaining('repeats item 7') }])
  })

  it('uniqueItems on big arrays', () => {
    const compiled = compile({ uniqueItems: true })
    const simple = numbers(100_000)
    const composite = numbers(100_000).map((index) => ({ index: { index } }))
    expect(within(() => compiled.check(simple))).toEqual([])
    expect(within(() => compiled.check(composite))).toMatchObject([{ keyword: 'budget' }])
    expect(within(() => compiled.check(composite.slice(0, 5_000)))).toEqual([])
    const own = compile({ uniqueItems: true }, { trusted: true })
    expect(within(() => own.check(numbers(550_000)))).toMatchObject([{ keyword: 'budget' }])
  })

  it.each<[string, JsonObject, unknown]>([
    ['a constant', { const: 'x'.repeat(200_000) }, 'x'.repeat(200_000)],
    ['a text of an enum', { enum: ['x', 'x'.repeat(200_000)] }, 'x'.repeat(200_000)],
    ['the name of a member', { uniqueItems: true }, [{ ['x'.repeat(200_000)]: 1 }]],
    ['many texts that differ at their ends', { uniqueItems: true }, numbers(100).map((index) => `${'x'.repeat(20_000)}${index}`)],
  ])('%s costs steps by its length', (_, first, value) => {
    expect(compile(first).check(value)).toEqual([])
    expect(compile(doubled('allOf', first, 9)).check(value)).toMatchObject([{ keyword: 'budget' }])
    expect(compile(doubled('allOf', first, 9)).check('short')).not.toMatchObject([{ keyword: 'budget' }])
  })

  it('the message of an issue is only created if it is reported', () => {
    let looked = 0
    const ownKeys = (value: object) => {
      looked++
      return Reflect.ownKeys(value)
    }
    const value = new Proxy({ a: 1 }, { ownKeys })
    const kinds = numbers(50).map((index) => (index % 2 ? { type: 'string' } : { enum: [index] }))
    expect(compile({ anyOf: kinds }).check(value)).toMatchObject([{ keyword: 'anyOf', got: 'an object with "a"' }])
    expect(looked).toBeLessThan(5)

    const known = Object.fromEntries(numbers(100).map((index) => [`${'name'.repeat(10)}${index}`, true]))
    const $defs = { one: { properties: known, additionalProperties: false } }
    const compiled = compile({ $defs, anyOf: numbers(10).map(() => ({ $ref: '#/$defs/one' })) })
    const unknown = Object.fromEntries(numbers(12).map((index) => [`${'neam'.repeat(10)}${index}`, 1]))
    const lowered = vi.spyOn(String.prototype, 'toLowerCase')
    try {
      expect(compiled.check(unknown)).toHaveLength(10)
      expect(lowered.mock.calls.length).toBeLessThan(2_100)
    } finally {
      lowered.mockRestore()
    }
  })

  it('the length of a text counts a surrogate pair once, and a lone surrogate once', () => {
    for (const text of ['ab', '\u{1f600}a', 'a\u{1f600}', '\ud83d\ud83d', '\ude00\ud83d', '\u{1f600}\ud83d', '\u{1f600}\ude00']) {
      expect([text, compile({ minLength: 2, maxLength: 2 }).check(text)]).toEqual([text, []])
      expect([text, compile({ minLength: 3 }).check(text)]).toMatchObject([text, [{ keyword: 'minLength' }]])
    }
  })

  it('an enum of large objects', () => {
    const large = numbers(100).map((index) => ({ items: numbers(200), index }))
    const compiled = compile({ items: { enum: large } })
    const values = numbers(1_000).map(() => ({ items: numbers(200), index: -1 }))
    expect(within(() => compiled.check(values))).not.toEqual([])
  })

  it('patternProperties times properties', () => {
    const rules = Object.fromEntries(numbers(150).map((index) => [`^(x+)+${index}$`, false]))
    const value = Object.fromEntries(numbers(1_000).map((index) => [`${'x'.repeat(40)}y${index}`, 1]))
    const compiled = compile({ patternProperties: rules })
    expect(within(() => compiled.check(value))).toMatchObject([{ keyword: 'budget' }])
  })

  it('nested quantifiers take linear time', () => {
    const compiled = compile({ pattern: '^(a+)+$' })
    expect(within(() => compiled.check(`${'a'.repeat(20_000)}!`))).toMatchObject([{ keyword: 'pattern' }])
    expect(compiled.check('aaa')).toEqual([])
  })

  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '(a*)*b',
    'a+$',
    '^a*a*a*$',
    '^(a?){30}a{30}$',
  ])('JSCH-012 our own pattern %s takes linear time on any text, too', (pattern) => {
    const own = compile({ pattern }, { trusted: true })
    expect(within(() => own.check(`${'a'.repeat(40)}!`))).toMatchObject([{ keyword: 'pattern' }])
    expect(within(() => own.check(`${'a'.repeat(20_000)}!`))).toHaveLength(1)
  })

  it.each([true, false])('lookaheads and lookbehinds take linear time (trusted: %s)', (trusted) => {
    const password = compile({ pattern: '^(?=.*[A-Z])(?=.*\\d).{8,}$' }, { trusted })
    expect(password.check('Passw0rd')).toEqual([])
    expect(password.check('password')).toMatchObject([{ keyword: 'pattern' }])
    expect(within(() => password.check(`${'a'.repeat(50_000)}A1`))).toEqual([])
    const nested = compile({ pattern: '(?=(a+)+$)(?<=x(?=a))b' }, { trusted })
    expect(within(() => nested.check(`x${'a'.repeat(50_000)}!`))).toMatchObject([{ keyword: 'pattern' }])
  })

  it('five of our patterns on a text of 4 MB end with a result or a refusal', () => {
    const label = '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$'
    const own = compile(
      { anyOf: [label, 'a+$', '(a*)*b', '[a-z]{1,1000}\\.', '(?=.*b)a'].map((pattern) => ({ pattern })) },
      { trusted: true },
    )
    const text = 'a'.repeat(4 * 1024 * 1024)
    const start = process.cpuUsage()
    own.check(text)
    const { user, system } = process.cpuUsage(start)
    expectWithin((user + system) / 1_000, 500)
  })

  it.each(['(a)\\1', '(?<a>b)\\k<a>', '(', 'a{1,5000}'])('the pattern %s is refused by name', (pattern) => {
    expect(() => compile({ pattern })).toThrow(pattern)
    expect(refusal({ properties: { x: { patternProperties: { [pattern]: true } } } })).toBe('pattern')
  })

  it('patterns with a large expansion are refused before they are compiled', () => {
    const one = { pattern: '((a{1,30}){1,30}b){30}' }
    const many = { patternProperties: Object.fromEntries(numbers(1_000).map((index) => [`x{100}${index}`, true])) }
    expect(within(() => refusal(one))).toBe('pattern')
    expect(within(() => refusal(many))).toBe('pattern')
  })
})
