import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expect, describe as group, it } from 'vitest'
import * as z from 'zod'
import { jsonSchema } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import { jsonSchemaOf, SchemaError, validator, withoutAdditionalProperties } from '../../src/schema/index.js'
import type { StandardSchema } from '../../src/tools/standard-schema.js'

const bridges: [string, StandardSchema<unknown, { query: string }>][] = [
  ['zod', z.object({ query: z.string() })],
  ['valibot', toStandardJsonSchema(v.object({ query: v.string() }))],
  ['arktype', type({ query: 'string' })],
  [
    'jsonSchema',
    jsonSchema<{ query: string }>({ type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }),
  ],
]

group.each(bridges)('a schema of %s', (_, schema) => {
  it('returns its JSON Schema', () => {
    expect(jsonSchemaOf(schema, 'input')).toMatchObject({
      type: 'object',
      properties: { query: { type: 'string' } },
      required: ['query'],
    })
  })

  it('accepts a value synchronously', () => {
    expect(validator(schema, 'input')({ query: 'mug' })).toEqual({ value: { query: 'mug' } })
  })

  it('refuses unknown arguments, and suggests the intended name', () => {
    expect(validator(schema, 'input')({ querry: 'mug' })).toMatchObject({
      issues: expect.arrayContaining([
        expect.objectContaining({ path: '/querry', message: "unknown property 'querry', did you mean 'query'?" }),
      ]),
    })
  })

  it('reports the place of an invalid value', () => {
    expect(validator(schema, 'input')({ query: 3 })).toMatchObject({
      issues: [{ path: '/query', message: expect.stringMatching(/string/i) }],
    })
  })
})

group('validator', () => {
  it('applies defaults and transforms', () => {
    const schema = z.object({ limit: z.number().default(10) })
    expect(validator(schema, 'input')({})).toEqual({ value: { limit: 10 } })
  })

  it('is asynchronous only for an asynchronous schema', async () => {
    const schema = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'is taken') })
    const validate = validator(schema, 'input')
    expect(await validate({ name: 'free' })).toEqual({ value: { name: 'free' } })
    expect(await validate({ name: 'taken' })).toMatchObject({ issues: [{ path: '/name', message: 'is taken' }] })
    expect(validate({ nam: 'x' })).toMatchObject({ issues: [{ path: '/nam' }] })
  })

  it('allows a schema to accept any property', () => {
    expect(validator(z.looseObject({ a: z.string() }), 'input')({ a: 'x', b: 1 })).toEqual({ value: { a: 'x', b: 1 } })
    expect(validator(z.record(z.string(), z.number()), 'input')({ b: 1 })).toEqual({ value: { b: 1 } })
  })

  it('knows the names in all parts of a union', () => {
    const validate = validator(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), 'input')
    expect(validate({ b: 'x' })).toEqual({ value: { b: 'x' } })
    expect(validate({ c: 'x' })).toMatchObject({ issues: [{ path: '/c' }] })
  })

  it('does not close an output schema', () => {
    const schema = jsonSchema({ type: 'object', properties: { a: { type: 'string' } } })
    expect(validator(schema, 'output')({ a: 'x', b: 1 })).toEqual({ value: { a: 'x', b: 1 } })
  })

  it('reports at most ten issues of a library, none of them long', () => {
    const schema = z.array(z.string({ error: () => 'x'.repeat(5_000) }))
    const result = validator(schema, 'output')(Array.from({ length: 50 }, () => 1))
    expect(result).toMatchObject({
      issues: Array.from({ length: 10 }, (_, index) => ({ path: `/${index}`, message: 'x'.repeat(500) })),
    })
  })
})

group('describe', () => {
  it('tells users of valibot what to do', () => {
    expect(() => jsonSchemaOf(v.object({ a: v.string() }), 'input')).toThrow('@valibot/to-json-schema')
  })

  it('tells users of other libraries what to do', () => {
    const schema: StandardSchema = { '~standard': { version: 1, vendor: 'other', validate: (value) => ({ value }) } }
    expect(() => jsonSchemaOf(schema, 'input')).toThrow(/other.*jsonSchema\(\)/)
  })

  it('reports types without a JSON form', () => {
    expect(() => jsonSchemaOf(z.object({ at: z.date() }), 'input')).toThrow(SchemaError)
  })

  it('distinguishes input and output', () => {
    const schema = z.object({ limit: z.number().default(10) })
    expect(jsonSchemaOf(schema, 'input').required).toBeUndefined()
    expect(jsonSchemaOf(schema, 'output').required).toEqual(['limit'])
  })
})

group('closed', () => {
  const properties = { a: { type: 'string' } }
  it.each<[JsonObject, JsonObject]>([
    [{ type: 'object', properties }, { additionalProperties: false }],
    [{ properties, anyOf: [{ required: ['a'] }] }, { unevaluatedProperties: false }],
    [{ $ref: '#/$defs/x', $defs: { x: { properties } } }, { unevaluatedProperties: false }],
    [{ type: 'object', properties, additionalProperties: true }, {}],
    [{ type: 'object', properties, unevaluatedProperties: {} }, {}],
    [{ type: 'object', patternProperties: { x: {} }, properties }, {}],
    [{ type: 'object' }, {}],
    [{ type: 'array', properties }, {}],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', allOf: [{ properties }] }, {}],
  ])('%j additionally gets %j', (schema, added) => {
    expect(withoutAdditionalProperties(schema)).toEqual({ ...schema, ...added })
  })
})

group('jsonSchema', () => {
  it('refuses an invalid schema at once', () => {
    expect(() => jsonSchema({ type: 'strnig' })).toThrow(SchemaError)
  })

  it('is a Standard Schema for other libraries', () => {
    const schema = jsonSchema({ type: 'object', properties: { 'a/b': { type: 'string' } } })
    expect(schema['~standard'].validate({ 'a/b': 1 })).toMatchObject({ issues: [{ path: ['a/b'] }] })
    expect(schema['~standard'].validate({ 'a/b': 'x' })).toEqual({ value: { 'a/b': 'x' } })
  })
})
