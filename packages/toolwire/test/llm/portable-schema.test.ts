import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/json.js'
import { NotPortable, portableSchema } from '../../src/llm/lower/portable-schema.js'
import { compile } from '../../src/schema/index.js'
import { combined, someArguments } from './combined.js'
import { anySchema, valueLike } from './schemas.js'

const accepts = (schema: Json, value: unknown) => compile(schema, { trusted: true }).check(value).length === 0

function portable(schema: JsonObject, use: 'input' | 'output' = 'input'): JsonObject | undefined {
  try {
    return portableSchema(schema, use)
  } catch (thrown) {
    if (thrown instanceof NotPortable) return undefined
    throw thrown
  }
}

describe('a portable schema', () => {
  it('accepts all arguments that the original accepts, for any combination of keywords', () => {
    let tried = 0
    fc.assert(
      fc.property(combined, fc.array(someArguments, { minLength: 8, maxLength: 8 }), (schema, given) => {
        const made = portable(schema)
        if (!made) throw new Error(`It has no circles: ${JSON.stringify(schema)}`)
        for (const args of given) {
          if (!accepts(schema, args)) continue
          tried++
          expect(accepts(made, args), JSON.stringify({ schema, made, args })).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
    expect(tried).toBeGreaterThan(500)
  })

  const pair = { prefixItems: [true, true], items: false }
  const about = (extra: JsonObject) => ({ properties: { a: true }, dependentSchemas: { a: extra } })
  it.each<[string, JsonObject, JsonObject]>([
    [
      'names of two patterns',
      { allOf: [{ patternProperties: { '^a': true } }, { patternProperties: { '^b': true }, additionalProperties: false }] },
      { b: 1 },
    ],
    ['lists of two lengths', { properties: { x: { prefixItems: [true] } }, allOf: [{ properties: { x: pair } }] }, { x: [1, 2] }],
    [
      'members that depend on others',
      {
        properties: { x: about({}) },
        allOf: [{ properties: { x: { ...about({ properties: { b: true } }), unevaluatedProperties: false } } }],
      },
      { x: { a: 1, b: 1 } },
    ],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ['members that a condition knows', { if: true, then: { properties: { b: true } }, unevaluatedProperties: false }, { b: 1 }],
    [
      'alternatives that are closed but for a pattern',
      {
        anyOf: [
          { patternProperties: { '^z': true }, additionalProperties: false },
          { required: ['b'], additionalProperties: false },
        ],
      },
      { z: 1 },
    ],
    ['an alternative that is no object, too', { anyOf: [{ type: ['object', 'null'] }, { required: ['b'] }] }, {}],
  ])('accepts what the original accepts: %s', (_, schema, args) => {
    expect(accepts(schema, args)).toBe(true)
    expect(accepts(portableSchema(schema, 'input'), args)).toBe(true)
  })

  it.each(['input', 'output'] as const)('accepts what the original accepts in nested values, as %s', (use) => {
    let tried = 0
    fc.assert(
      fc.property(
        anySchema.chain((schema) => fc.tuple(fc.constant(schema), valueLike(schema))),
        ([schema, value]) => {
          const made = portable(schema, use)
          fc.pre(made !== undefined && isObject(value) && accepts(schema, value))
          tried++
          expect(accepts(made ?? false, value)).toBe(true)
        },
      ),
      { numRuns: 250, maxSkipsPerRun: 300 },
    )
    expect(tried).toBeGreaterThan(200)
  })

  it('has no references, no dialect, and no combinators at the root', () => {
    fc.assert(
      fc.property(fc.oneof(combined, anySchema), (schema) => {
        const made = portable({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema })
        if (!made) return
        expect(made).toMatchObject({ type: 'object', properties: {} })
        for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'enum', 'const', '$schema', '$defs'])
          expect(made).not.toHaveProperty(keyword)
        expect(JSON.stringify(made)).not.toContain('"$ref"')
      }),
      { numRuns: 500 },
    )
  })
})

describe('a schema after conversion', () => {
  it('has its references inlined, and its combinations merged into one object', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $ref: '#/$defs/Base',
      type: 'object',
      allOf: [{ properties: { to: { $ref: '#/$defs/Place' } }, required: ['to'] }],
      $defs: {
        Base: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        Place: { type: 'object', properties: { city: { type: 'string' } } },
      },
    }
    expect(portable(schema)).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, to: { type: 'object', properties: { city: { type: 'string' } } } },
      required: ['id', 'to'],
    })
  })

  it('has the members of all alternatives, and requires those that all of them require', () => {
    const byKind = (kind: string, more: JsonObject) => ({
      type: 'object',
      properties: { kind: { const: kind }, ...more },
      required: ['kind', ...Object.keys(more)],
      additionalProperties: false,
    })
    const schema = {
      type: 'object',
      oneOf: [byKind('file', { path: { type: 'string' } }), byKind('text', { text: { type: 'string' } })],
    }
    expect(portable(schema)).toEqual({
      type: 'object',
      properties: {
        kind: { anyOf: [{ const: 'file' }, { const: 'text' }] },
        path: { type: 'string' },
        text: { type: 'string' },
      },
      required: ['kind'],
      additionalProperties: false,
    })
  })

  it('has the members of many alternatives', () => {
    const anyOf = Array.from({ length: 50 }, (_, branch) => ({
      properties: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a${branch}_${index}`, { type: 'string' }])),
      additionalProperties: false,
    }))
    expect(Object.keys(portableSchema({ type: 'object', anyOf }, 'input').properties as JsonObject)).toHaveLength(1_000)
  })

  it('allows any value for a member that a more permissive alternative does not define', () => {
    const schema = { anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { required: ['b'] }] }
    expect(portable(schema)).toEqual({ type: 'object', properties: { a: { anyOf: [{ type: 'string' }, {}] } } })
  })

  it('uses the current keywords instead of those of draft-07', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }, { $ref: '#/definitions/n' }], additionalItems: false } },
      definitions: { n: { type: 'number' } },
    }
    expect(portable(schema)?.properties).toEqual({
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    })
  })

  it('keeps the marks of parameters in headers', () => {
    const region = { type: 'string', 'x-mcp-header': 'Region' }
    const schema = {
      type: 'object',
      properties: { region, at: { type: 'object', properties: { zone: { ...region, 'x-mcp-header': 'Zone' } } } },
      anyOf: [{ required: ['region'] }, { required: ['at'] }],
    }
    expect(portable(schema)).toEqual({ type: 'object', properties: schema.properties })
  })

  it('keeps combinations in an output schema', () => {
    const schema = { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }], $defs: { a: { type: 'string' } } }
    expect(portable(schema, 'output')).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] })
  })
})

describe('a schema that cannot be made portable', () => {
  const many = (most: number, part: (index: number) => JsonObject) => Array.from({ length: most }, (_, index) => part(index))
  const member = (index: number) => ({ properties: { [`a${index}`]: {} } })
  const wide = (letter: string) => Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${letter}${index}`, {}]))
  const node = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } }
  const twice = (n: number) => ({ properties: { l: { $ref: `#/$defs/d${n + 1}` }, r: { $ref: `#/$defs/d${n + 1}` } } })
  const doubling = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`d${n}`, n === 12 ? {} : twice(n)]))
  it.each<[string, JsonObject, RegExp]>([
    [
      'contains itself',
      { type: 'object', properties: { tree: { $ref: '#/$defs/node' } }, $defs: { node } },
      /\$ref at \/properties\/tree.* refers to itself$/,
    ],
    [
      'refers to another document',
      { properties: { a: { $ref: 'https://elsewhere.example/a.json' } } },
      /points to nothing in this schema/,
    ],
    [
      'refers to what is known later',
      { properties: { a: { $dynamicRef: '#a' } } },
      /\$dynamicRef at \/properties\/a is not understood/,
    ],
    ['would grow and grow', { $ref: '#/$defs/d0', $defs: doubling }, /makes the schema too large/],
    ['hides the name of a member', { properties: { 'a\u200b\u2060\u200bb': {} } }, /hidden characters/],
    ['has more parts than can be merged', { allOf: many(1_000, member) }, /^The schema has too many parts$/],
    ['has more alternatives than can be merged', { anyOf: many(1_000, member) }, /^The schema has too many parts$/],
    [
      'would repeat a large part for each member',
      { anyOf: [{ properties: wide('a') }, { additionalProperties: { properties: wide('b') } }] },
      /^The schema has too many parts$/,
    ],
    ['is broken', { properties: { a: { enum: 'x' } } }, /enum at \/properties\/a must be/],
  ])('reports that it %s', (_, schema, why) => {
    expect(() => portableSchema(schema, 'input')).toThrow(why)
    expect(() => portableSchema(schema, 'input')).toThrow(NotPortable)
  })
})
