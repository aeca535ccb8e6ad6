import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/json.js'
import { dialectNames } from '../../src/schema/dialects/dialects.js'
import { compile, SchemaError } from '../../src/schema/index.js'

const holds = (schema: Json, value: unknown) => compile(schema).check(value).length === 0
const draft07 = 'http://json-schema.org/draft-07/schema#'

describe('dialects', () => {
  it('JSCH-001 a schema without $schema is 2020-12', () => {
    expect(compile({}).dialect).toBe('2020-12')
    expect(holds({ prefixItems: [{ type: 'string' }] }, [1])).toBe(false)
    expect(() => compile({ items: [{ type: 'string' }] })).toThrow('"items" must be a schema')
  })

  it('JSCH-003 a schema that names draft-07 is draft-07', () => {
    const schema = { $schema: draft07, items: [{ type: 'string' }], additionalItems: false }
    expect(compile(schema).dialect).toBe('draft-07')
    expect([holds(schema, ['a']), holds(schema, [1]), holds(schema, ['a', 'b'])]).toEqual([true, false, false])
    expect(holds({ $schema: draft07, prefixItems: [false] }, [1])).toBe(true)
    expect(
      holds({ $schema: draft07, properties: { a: { $ref: '#/definitions/n', maximum: 3 } }, definitions: { n: {} } }, { a: 9 }),
    ).toBe(true)
  })

  it.each([
    ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
    ['https://json-schema.org/draft/2020-12/schema#', '2020-12'],
    ['http://json-schema.org/draft-07/schema', 'draft-07'],
    ['https://json-schema.org/draft-07/schema#', 'draft-07'],
  ])('%s names %s', ($schema, dialect) => {
    expect(compile({ $schema }).dialect).toBe(dialect)
  })

  it.each([
    'urn:x',
    'http://json-schema.org/draft-04/schema#',
    'https://json-schema.org/draft/2019-09/schema',
  ])('JSCH-004 the dialect %s is refused, with the names of the supported ones', ($schema) => {
    const attempt = () => compile({ $schema, type: 'object' })
    expect(attempt).toThrow(SchemaError)
    expect(attempt).toThrow(expect.objectContaining({ code: 'unsupported-dialect' }))
    for (const name of dialectNames) expect(attempt).toThrow(name)
  })

  it('a dialect that requires an unknown vocabulary is refused', () => {
    const remotes = { 'https://x.example/meta': { $vocabulary: { 'https://x.example/vocabulary': true } } }
    expect(() => compile({ $schema: 'https://x.example/meta' }, { remotes })).toThrow('https://x.example/vocabulary')
  })
})

describe('JSCH-006 a schema is checked against its dialect', () => {
  it.each<[Json, string]>([
    [{ type: 'strnig' }, '#/type: "type" must be one of'],
    [{ type: 'strnig' }, 'did you mean "string"?'],
    [{ properties: { a: { minimum: '1' } } }, '#/properties/a/minimum'],
    [{ $defs: { unused: { required: 'a' } } }, '#/$defs/unused/required'],
    [{ allOf: [] }, '"allOf" must be a list of one or more schemas'],
    [{ properties: { a: 3 } }, '#/properties/a: a schema must be an object'],
    [{ required: ['a', 'a'] }, 'different strings'],
    [{ multipleOf: 0 }, 'above 0'],
    [{ minLength: -1 }, '0 or more'],
    [3, 'a schema must be an object, true or false'],
    [null, 'a schema must be an object, true or false'],
    [{ $id: 'a#b' }, '$id'],
  ])('%j is refused: %s', (schema, words) => {
    for (const trusted of [true, false]) {
      const attempt = () => compile(schema, { trusted })
      expect(attempt).toThrow(words)
      expect(attempt).toThrow(expect.objectContaining({ code: 'invalid-schema' }))
    }
  })

  it('a value that is not JSON is refused', () => {
    // A caller without TypeScript may pass anything.
    expect(() => compile({ default: (() => 1) as unknown as Json })).toThrow('function')
  })

  it('a change of the schema after compilation has no effect', () => {
    const schema = { enum: [1] }
    const compiled = compile(schema)
    schema.enum.push(2)
    expect(compiled.check(2)).toHaveLength(1)
  })
})

describe('JSCH-014 values are not converted, and format is only an annotation', () => {
  it('"5" is not an integer, 5.0 is, 5.5 is not', () => {
    const schema = { type: 'integer' }
    expect(['5', 5.0, 5.5, true, null].map((value) => holds(schema, value))).toEqual([false, true, false, false, false])
    expect(holds({ type: 'boolean' }, 'true')).toBe(false)
    expect(holds({ type: 'null' }, undefined)).toBe(false)
  })

  it('a violated format is accepted', () => {
    expect(holds({ format: 'email' }, 'nobody')).toBe(true)
  })
})
