import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { choicesOf } from '../../src/schemas/choices.js'
import type { JsonObject } from '../../src/schemas/json.js'
import { outlineOf } from '../../src/schemas/outline.js'
import { schemaDocumentOf } from '../../src/schemas/schema-document.js'
import { kindText, limitTexts } from '../../src/schemas/schema-text.js'
import { schemas } from './generated-schemas.js'

describe('a schema in words', () => {
  it('names the kind of value', () => {
    expect(kindText({ type: 'string' })).toBe('Text')
    expect(kindText({ type: ['integer', 'null'] })).toBe('Whole number or nothing (null)')
    expect(kindText({ enum: ['a', 'b', 'c'] })).toBe('One of 3')
    expect(kindText({})).toBe('Anything')
    expect(kindText({ anyOf: [{ type: 'string' }, { type: 'object' }] })).toBe('One of 2 kinds')
  })

  it('describes limits in plain language', () => {
    expect(limitTexts({ minLength: 1, maxLength: 50 })).toEqual(['1 to 50 characters'])
    expect(limitTexts({ minLength: 4, maxLength: 4, pattern: '^x' })).toEqual(['exactly 4 characters', 'matches /^x/'])
    expect(limitTexts({ minimum: 0, exclusiveMaximum: 1 })).toEqual(['at least 0, less than 1'])
    expect(limitTexts({ minimum: 1, maximum: 9, multipleOf: 2 })).toEqual(['1 to 9', 'a multiple of 2'])
    expect(limitTexts({ maxItems: 1, uniqueItems: true })).toEqual(['at most 1 item', 'unique items'])
    expect(limitTexts({ format: 'date' })).toEqual(['a date, such as 2026-01-31'])
    expect(limitTexts({ format: 'constructor' })).toEqual(['in the format constructor'])
  })

  it('uses the titles of choices, if they have titles', () => {
    expect(choicesOf({ oneOf: [{ const: '#F00', title: 'Red' }, { const: 1 }] })?.map(({ label }) => label)).toEqual(['Red', '1'])
    expect(choicesOf({ enum: ['', null] })?.map(({ label }) => label)).toEqual(['(empty text)', 'nothing (null)'])
    expect(choicesOf({ oneOf: [{ const: 1 }, { type: 'string' }] })).toBeUndefined()
  })
})

describe('the outline of a schema', () => {
  it('describes every member with its contents, and marks the required ones', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where' },
        tags: { type: 'array', items: { type: 'string', maxLength: 9 } },
        by: { oneOf: [{ type: 'string', title: 'Name' }, { type: 'null' }] },
      },
      required: ['path'],
      additionalProperties: { type: 'number' },
    }
    const { parts } = outlineOf(schemaDocumentOf(schema), schema)
    expect(parts.map(({ role, name, required }) => [role, name, required])).toEqual([
      ['member', 'path', true],
      ['member', 'tags', false],
      ['member', 'by', false],
      ['others', 'any other name', false],
    ])
    expect(parts[0]?.of).toMatchObject({ kind: 'Text', description: 'Where' })
    expect(parts[1]?.of.parts[0]).toMatchObject({ name: 'each item', of: { limits: ['at most 9 characters'] } })
    expect(parts[2]?.of.parts.map(({ name }) => name)).toEqual(['Name', 'Nothing (null)'])
  })

  it('describes a recursive schema once', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
    const schema: JsonObject = { $ref: '#/$defs/node', $defs: { node } }
    const next = outlineOf(schemaDocumentOf(schema), schema).parts[0]
    expect(next?.of).toMatchObject({ omitted: 'recursive', parts: [] })
  })

  it('says where it ends early', () => {
    const schema: JsonObject = { type: 'object', properties: {} }
    for (let deep = schema, depth = 0; depth < 20; depth++) {
      const inner: JsonObject = { type: 'object', properties: {} }
      deep.properties = { inner }
      deep = inner
    }
    let last = outlineOf(schemaDocumentOf(schema), schema)
    while (last.parts[0]) last = last.parts[0].of
    expect(last).toMatchObject({ omitted: 'limit', parts: [] })
  })

  it('ends for every schema, even for one that contains others very many times', () => {
    fc.assert(fc.property(schemas, (schema) => void expect(outlineOf(schemaDocumentOf(schema), schema).kind).not.toBe('')))
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
    const level = (depth: number) => ({
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/l${depth + 1}` }])),
    })
    const $defs = Object.fromEntries(names.map((_, depth) => [`l${depth}`, level(depth)]))
    const outline = outlineOf(schemaDocumentOf({ $defs }), { $ref: '#/$defs/l0' })
    expect(JSON.stringify(outline).length).toBeLessThan(2_000_000)
  })
})
