import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/json.js'
import { lowerToGemini } from '../../src/llm/lower/lower-to-gemini.js'
import { lowerToObject } from '../../src/llm/lower/lower-to-object.js'
import { lowerToStrict } from '../../src/llm/lower/lower-to-strict.js'
import { type Lower, losses } from '../../src/llm/lower/lowered.js'
import { plainSchema } from '../../src/llm/lower/plain-schema.js'
import { compile } from '../../src/schema/index.js'
import { quickest } from '../quickest-of-three.js'
import { expectWithin } from '../soak.js'
import { backFromGemini, faultsOfGemini, faultsOfObject, faultsOfStrict } from './provider-rules.js'
import { anySchema, brokenSchema, valueLike } from './schemas.js'

function lowered(schema: Json, lower: Lower) {
  const { noted, reportLoss } = losses()
  return { ...lower(plainSchema(schema, reportLoss), reportLoss), losses: noted }
}
const accepts = (schema: Json, value: unknown) => compile(schema, { trusted: true }).check(value).length === 0
const at = (schema: JsonObject, name: string): Json | undefined =>
  isObject(schema.properties) ? schema.properties[name] : undefined
const withMember = (member: Json): JsonObject => ({ type: 'object', properties: { x: member } })

describe.each([
  ['objects of JSON Schema', lowerToObject, faultsOfObject],
  ['strict mode', lowerToStrict, faultsOfStrict],
  ['Gemini', lowerToGemini, faultsOfGemini],
] as const)('lowering to %s', (_, lower, faultsOf) => {
  it('accepts any schema, valid or broken, and returns one that the provider accepts', () => {
    fc.assert(
      fc.property(fc.oneof(anySchema, brokenSchema), (schema) => {
        const { schema: low, strict } = lowered(schema, lower)
        expect(lower === lowerToStrict && !strict ? faultsOfObject(low) : faultsOf(low)).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })

  it('returns the same text for the same schema, whatever the order of its keywords', () => {
    const one = { type: 'object', required: ['b', 'a'], properties: { a: { type: 'string', minLength: 1 }, b: {} } }
    const other = { properties: { a: { minLength: 1, type: 'string' }, b: {} }, required: ['a', 'b'], type: 'object' }
    expect(JSON.stringify(lowered(one, lower).schema)).toBe(JSON.stringify(lowered(other, lower).schema))
  })
})

describe('a schema that was lowered without loss', () => {
  it.each([
    ['objects of JSON Schema', lowerToObject, (schema: JsonObject) => schema],
    ['Gemini', lowerToGemini, backFromGemini],
  ] as const)('accepts, for %s, everything that the tool accepts', (_, lower, back) => {
    let tried = 0
    fc.assert(
      fc.property(
        anySchema.chain((schema) => fc.tuple(fc.constant(schema), valueLike(schema))),
        ([schema, value]) => {
          const low = lowered(schema, lower)
          fc.pre(low.losses.length === 0 && isObject(value) && accepts(schema, value))
          tried++
          expect(accepts(back(low.schema), value)).toBe(true)
        },
      ),
      { numRuns: 400, maxSkipsPerRun: 200 },
    )
    expect(tried).toBeGreaterThan(300)
  })

  it('accepts, in strict mode, only what the tool accepts after restoring', () => {
    let tried = 0
    fc.assert(
      fc.property(
        anySchema.chain((schema) => {
          const low = lowered(schema, lowerToStrict)
          return fc.tuple(fc.constant(schema), fc.constant(low), valueLike(low.schema))
        }),
        ([schema, low, value]) => {
          fc.pre(low.losses.length === 0 && low.strict && isObject(value) && accepts(low.schema, value))
          tried++
          expect(accepts(schema, low.restore(value as JsonObject))).toBe(true)
        },
      ),
      { numRuns: 300, maxSkipsPerRun: 300 },
    )
    expect(tried).toBeGreaterThan(200)
  })
})

describe('references', () => {
  it('are inlined, in every notation', () => {
    const schema = {
      $defs: { 'a/b': { type: 'string' }, named: { $anchor: 'n', type: 'number' }, own: { $id: 'own.json', type: 'boolean' } },
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/a~1b' },
        b: { $ref: '#n' },
        c: { $ref: 'own.json' },
        d: { $ref: '#/$defs/a~1b', description: 'D' },
      },
    }
    expect(lowered(schema, lowerToObject)).toMatchObject({
      losses: [],
      schema: {
        properties: {
          a: { type: 'string' },
          b: { type: 'number' },
          c: { type: 'boolean' },
          d: { type: 'string', description: 'D' },
        },
      },
    })
    expect(JSON.stringify(lowered(schema, lowerToObject).schema)).not.toContain('$')
  })

  it('to other documents are reported, and not fetched', () => {
    const { losses: lost, schema } = lowered(withMember({ $ref: 'https://evil.example/x.json' }), lowerToObject)
    expect(lost).toEqual([{ path: '/properties/x', keyword: '$ref', why: 'points to nothing in this schema' }])
    expect(at(schema, 'x')).toEqual({})
  })

  it('in cycles are cut, with a report', () => {
    const tree = { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#' } } }
    const { losses: lost, schema } = lowered(tree, lowerToObject)
    expect(lost).toEqual([expect.objectContaining({ keyword: '$ref', why: expect.stringContaining('itself') })])
    expect(schema).toMatchObject({ properties: { next: { properties: { next: { type: 'object' } } } } })
  })

  it('that multiply are limited in time and size', () => {
    const level = (index: number) => ({ anyOf: Array.from({ length: 64 }, () => ({ $ref: `#/$defs/l${index + 1}` })) })
    const $defs = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`l${index}`, level(index)]))
    const lowerAll = () => {
      for (const lower of [lowerToObject, lowerToStrict, lowerToGemini]) {
        const { schema, losses: lost } = lowered({ type: 'object', properties: { x: { $ref: '#/$defs/l0' } }, $defs }, lower)
        expect(JSON.stringify(schema).length).toBeLessThan(300_000)
        expect(lost.length).toBeGreaterThan(0)
        expect(lost.length).toBeLessThanOrEqual(100)
      }
    }
    expectWithin(quickest(lowerAll), 450)
  })

  it.each([
    ['names', { $id: 'big.json', $ref: 'nowhere', $defs: { all: Array.from({ length: 100_000 }, () => ({})) } }],
    ['pointers', { $ref: `#${'/x'.repeat(100_000)}` }],
  ])('that are hard to resolve are limited in time: %s', (_, hard) => {
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { $ref: '#/$defs/hard' }]))
    const lowerIt = () => lowered({ type: 'object', properties, $defs: { hard } }, lowerToObject)
    expect(lowerIt().losses.length).toBeGreaterThan(0)
    expectWithin(quickest(lowerIt), 450)
  })
})

describe('a schema with very many parts', () => {
  const member = (index: number) => ({ properties: { [`a${index}`]: { type: 'string' } } })
  const wide: JsonObject = { allOf: Array.from({ length: 700 }, (_, index) => member(index)) }
  const tooMany = expect.objectContaining({ why: expect.stringContaining('too many parts') })

  it.each([
    ['objects of JSON Schema', lowerToObject],
    ['strict mode', lowerToStrict],
    ['Gemini', lowerToGemini],
  ] as const)('is merged up to a limit, with a report: %s', (_, lower) => {
    for (const schema of [wide, { properties: { x: wide } }].slice(0, lower === lowerToObject ? 1 : 2)) {
      const { schema: low, losses: lost } = lowered(schema, lower)
      expect(lost).toContainEqual(tooMany)
      expect(Object.keys(low.properties as JsonObject).length).toBeLessThan(700)
    }
    expectWithin(
      quickest(() => lowered(wide, lower)),
      450,
    )
  })

  it.each([
    ['strict mode', lowerToStrict],
    ['Gemini', lowerToGemini],
  ] as const)('merges nested alternatives up to a limit: %s', (_, lower) => {
    const titled = (most: number, part: JsonObject) =>
      Array.from({ length: most }, (_, index) => ({ ...part, title: `t${index}` }))
    const m = { pattern: 'a', anyOf: titled(300, { type: 'null', pattern: 'b' }) }
    const q = { type: 'object', anyOf: titled(15, {}), properties: { m }, additionalProperties: false }
    const p = { type: 'object', anyOf: titled(15, {}), properties: { q }, additionalProperties: false }
    let merged = 0
    const plain = plainSchema({ type: 'object', properties: { p } }, () => undefined)
    lower(plain, (_, keyword, why) => {
      if (keyword === 'pattern' && why.includes('merged')) merged++
    })
    expect(merged).toBeLessThan(6_000)
  })
})

describe('schemas in allOf', () => {
  const merged = (...allOf: JsonObject[]) => at(lowered(withMember({ allOf }), lowerToGemini).schema, 'x')

  it('are merged into one, as strict as possible', () => {
    expect(merged({ type: 'number', minimum: 1 }, { type: 'integer', minimum: 3, maximum: 9 })).toEqual({
      type: 'INTEGER',
      minimum: 3,
      maximum: 9,
    })
    expect(merged({ type: ['string', 'number'] }, { type: ['string', 'integer'] })).toEqual({
      anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }],
    })
    const members = [
      { properties: { a: { minLength: 1 } }, required: ['a'] },
      { properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['b'] },
    ]
    expect(merged({ type: 'object' }, ...members)).toEqual({
      type: 'OBJECT',
      properties: { a: { type: 'STRING', minLength: 1 }, b: { type: 'NUMBER' } },
      required: ['a', 'b'],
    })
  })

  it('are reported if one of them contradicts the others', () => {
    expect(
      lowered(withMember({ allOf: [{ type: 'string', pattern: 'a' }, { pattern: 'b' }] }), lowerToGemini).losses,
    ).toMatchObject([{ path: '/properties/x', keyword: 'pattern' }])
  })
})

describe('schemas of earlier revisions', () => {
  it('are translated', () => {
    const schema = withMember({
      items: [{ type: 'string' }],
      additionalItems: false,
      dependencies: { a: ['b'], c: { required: ['d'] } },
      minimum: 3,
      exclusiveMinimum: true,
      maximum: 5,
      exclusiveMaximum: false,
    })
    expect(lowered(schema, lowerToObject)).toMatchObject({ losses: [] })
    expect(at(lowered(schema, lowerToObject).schema, 'x')).toEqual({
      prefixItems: [{ type: 'string' }],
      items: false,
      dependentRequired: { a: ['b'] },
      dependentSchemas: { c: { required: ['d'] } },
      exclusiveMinimum: 3,
      maximum: 5,
    })
  })

  it('keep only annotations beside a reference', () => {
    const schema = { ...withMember({ $ref: '#/definitions/n', maximum: 2, title: 'N' }), definitions: { n: { type: 'number' } } }
    const draft07 = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }
    expect(at(lowered(draft07, lowerToObject).schema, 'x')).toEqual({ type: 'number', title: 'N' })
    expect(at(lowered(schema, lowerToObject).schema, 'x')).toEqual({ allOf: [{ type: 'number' }], maximum: 2, title: 'N' })
    expect(at(lowered(schema, lowerToGemini).schema, 'x')).toEqual({ type: 'NUMBER', title: 'N', maximum: 2 })
  })
})

describe('lowering to Gemini', () => {
  it('writes types, null and alternatives in the format of Gemini', () => {
    const members = {
      both: { type: ['string', 'integer', 'null'], minLength: 1, minimum: 0 },
      choice: { oneOf: [{ const: 'a' }, { type: 'number' }], description: 'Which' },
      day: { enum: ['mon', 'tue', null] },
      above: { type: 'integer', exclusiveMinimum: 0 },
    }
    const { schema, losses: lost } = lowered({ type: 'object', properties: members }, lowerToGemini)
    expect(schema.properties).toEqual({
      both: {
        anyOf: [
          { type: 'STRING', minLength: 1, nullable: true },
          { type: 'INTEGER', minimum: 0, nullable: true },
        ],
      },
      choice: {
        anyOf: [
          { type: 'STRING', description: 'Which', enum: ['a'] },
          { type: 'NUMBER', description: 'Which' },
        ],
      },
      day: { type: 'STRING', enum: ['mon', 'tue'], nullable: true },
      above: { type: 'INTEGER', minimum: 1 },
    })
    expect(lost.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual(['/properties/choice oneOf'])
  })
})

describe('a schema with many references to a huge definition', () => {
  it.each([
    ['of unknown keywords', Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]))],
    ['of values', { enum: Array.from({ length: 50_000 }, (_, index) => `value ${index}`) }],
  ])('%s is lowered quickly', (_, huge) => {
    const members = Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { $ref: '#/$defs/huge' }])
    const schema = { type: 'object', properties: Object.fromEntries(members), $defs: { huge } }
    const started = performance.now()
    expect(JSON.stringify(lowered(schema, lowerToObject).schema).length).toBeLessThan(200_000)
    expectWithin(performance.now() - started, 300)
  })
})

describe('a loss', () => {
  it('is reported by path and keyword', () => {
    const schema = withMember({ type: 'array', items: { type: 'number', exclusiveMinimum: 0, multipleOf: 2 }, uniqueItems: true })
    expect(lowered(schema, lowerToGemini).losses.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual([
      '/properties/x uniqueItems',
      '/properties/x/items multipleOf',
      '/properties/x/items exclusiveMinimum',
    ])
  })

  it('includes root keywords that no provider accepts', () => {
    const schema = {
      type: 'object',
      oneOf: [
        { properties: { id: { type: 'string' } }, required: ['id'] },
        { properties: { name: { type: 'string' } }, required: ['name'] },
      ],
    }
    const { schema: low, losses: lost } = lowered(schema, lowerToObject)
    expect(low).toEqual({ type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } })
    expect(lost).toMatchObject([{ path: '', keyword: 'oneOf' }])
  })
})

describe('strict mode', () => {
  it('makes optional members nullable, and removes the nulls again', () => {
    const schema = {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer' },
        where: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
      },
      required: ['query'],
    }
    const { schema: low, strict, restore } = lowered(schema, lowerToStrict)
    expect(strict).toBe(true)
    expect(low).toMatchObject({
      required: ['query', 'limit', 'where'],
      additionalProperties: false,
      properties: { query: { type: 'string' }, limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
    })
    expect(restore({ query: 'x', limit: null, where: { city: null } })).toEqual({ query: 'x', where: {} })
    expect(restore({ query: 'x', limit: 3, where: null })).toEqual({ query: 'x', limit: 3 })
  })

  it('keeps a null that the tool requires', () => {
    const { restore } = lowered(
      { type: 'object', properties: { x: { type: ['string', 'null'] } }, required: ['x'] },
      lowerToStrict,
    )
    expect(restore({ x: null })).toEqual({ x: null })
  })

  it('is not applied to tools with unnamed members', () => {
    const {
      strict,
      schema,
      losses: lost,
    } = lowered(withMember({ type: 'object', additionalProperties: { type: 'string' } }), lowerToStrict)
    expect(strict).toBe(false)
    expect(at(schema, 'x')).toMatchObject({ additionalProperties: { type: 'string' } })
    expect(lost).toMatchObject([{ keyword: 'strict' }])
  })
})

describe('text in schemas', () => {
  it('SECC-006 is cleaned, and names and values with hidden characters are omitted', () => {
    const tag = String.fromCodePoint(0xe0041)
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', description: `Plain${tag} <IMPORTANT>text</IMPORTANT><!-- hidden -->`, enum: ['x', `y\u200b`] },
        [`b${tag}`]: { type: 'string' },
      },
    }
    const { schema: low, losses: lost } = lowered(schema, lowerToObject)
    expect(low.properties).toEqual({ a: { type: 'string', description: 'Plain ‹IMPORTANT›text‹/IMPORTANT›' } })
    expect(lost.map(({ keyword }) => keyword).toSorted()).toEqual(['enum', 'properties'])
  })

  it('may have members with the names of built-in properties', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__"]}',
    )
    for (const lower of [lowerToObject, lowerToStrict, lowerToGemini]) {
      expect(Object.keys(lowered(schema, lower).schema.properties ?? {})).toEqual(['__proto__', 'constructor'])
    }
  })
})
