import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { entriesOf } from '../../src/api/entries.js'
import { alternativesOf, chosenAlternative } from '../../src/schemas/alternatives.js'
import { valueAt, withMovedItem, withRenamedMember, withValueAt } from '../../src/schemas/edit-value.js'
import { kindOf } from '../../src/schemas/field-kinds.js'
import { initialArguments, requiredInitialValue } from '../../src/schemas/initial-value.js'
import { isObject, type Json, type JsonObject } from '../../src/schemas/json.js'
import { membersOf, schemaOfItem } from '../../src/schemas/members.js'
import { readJson, sameJson, textFor } from '../../src/schemas/read-json.js'
import { resolveSchema } from '../../src/schemas/resolve-schema.js'
import { type SchemaDocument, schemaDocumentOf } from '../../src/schemas/schema-document.js'
import { schemas, values } from './generated-schemas.js'

const deepest = 12

/** The value that the fields of the form hold, gathered field by field. */
function held(document: SchemaDocument, schema: Json, value: Json, depth = 0): Json {
  const shape = resolveSchema(document, schema, value)
  const kind = depth > deepest ? 'never' : kindOf(shape)
  if (kind === 'either') {
    const alternatives = alternativesOf(document, shape)
    const chosen = alternatives[chosenAlternative(alternatives, value)]
    return chosen ? held(document, chosen.schema, value, depth + 1) : value
  }
  if (kind === 'group' && isObject(value)) {
    const members = membersOf(shape, value).filter(({ name }) => Object.hasOwn(value, name))
    return Object.fromEntries(
      members.map((member) => [member.name, held(document, member.schema, value[member.name]!, depth + 1)]),
    )
  }
  if (kind === 'list' && Array.isArray(value))
    return value.map((item, index) => held(document, schemaOfItem(shape, index), item, depth + 1))
  return value
}

const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = entriesOf(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]))
}

describe('a form and the raw JSON beside it', () => {
  it('hold the same value, whatever the schema requires and the JSON contains', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        expect(sorted(held(schemaDocumentOf(schema), schema, value))).toEqual(sorted(value))
      }),
      { numRuns: howMany(40, 400) },
    )
  })

  it('agree after the text was read, and the text stays unchanged while it means the same value', () => {
    fc.assert(
      fc.property(values, values, (value, other) => {
        const text = textFor(value, undefined)
        expect(readJson(text)).toMatchObject({ value })
        const typed = JSON.stringify(value)
        expect(textFor(value, typed)).toBe(typed)
        expect(readJson(textFor(other, typed))).toMatchObject({ value: other })
      }),
    )
  })

  it('change only in the edited place', () => {
    fc.assert(
      fc.property(
        values,
        fc.array(fc.oneof(fc.nat(2), fc.constantFrom('a', 'b', '__proto__')), { maxLength: 3 }),
        values,
        (value, path, next) => {
          const isThere = valueAt(value, path) !== undefined
          fc.pre(isThere)
          const before = JSON.stringify(value)
          const changed = withValueAt(value, path, next)
          expect(sameJson(valueAt(changed, path), next)).toBe(true)
          expect(JSON.stringify(withValueAt(changed, path, valueAt(value, path)))).toBe(before)
          expect(JSON.stringify(value)).toBe(before)
        },
      ),
    )
  })

  it('lose exactly the member or item that is removed', () => {
    expect(withValueAt({ a: 1, b: { c: 2 } }, ['b', 'c'], undefined)).toEqual({ a: 1, b: {} })
    expect(withValueAt([1, 2, 3], [1], undefined)).toEqual([1, 3])
    expect(withValueAt({ list: [1] }, ['list', 1], 2)).toEqual({ list: [1, 2] })
    expect(withValueAt(undefined, ['deep', 'deeper'], true)).toEqual({ deep: { deeper: true } })
  })

  it('keep every item when one is moved, and every member in its place when one is renamed', () => {
    expect(withMovedItem(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
    expect(withMovedItem(['a', 'b'], 1, 2)).toEqual(['a', 'b'])
    expect(Object.entries(withRenamedMember({ a: 1, b: 2, c: 3 }, 'b', 'z'))).toEqual([
      ['a', 1],
      ['z', 2],
      ['c', 3],
    ])
    expect(withRenamedMember({ a: 1, b: 2 }, 'b', 'a')).toEqual({ a: 1, b: 2 })
  })
})

describe('the initial value of a form', () => {
  it('exists for every schema, even for a recursive one', () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const document = schemaDocumentOf(schema)
        expect(isObject(initialArguments(document))).toBe(true)
        expect(requiredInitialValue(document, schema)).not.toBeUndefined()
      }),
      { numRuns: howMany(30, 300) },
    )
  })

  it('has the defaults of the schema, and the values without an alternative', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        limit: { type: 'integer', default: 20 },
        kind: { const: 'file' },
        mode: { const: 'fast' },
        place: { type: 'object', properties: { x: { default: 1 }, y: {} }, required: ['x'] },
        query: { type: 'string' },
      },
      required: ['kind', 'place', 'query'],
    }
    expect(initialArguments(schemaDocumentOf(schema))).toEqual({ limit: 20, kind: 'file', place: { x: 1 } })
  })

  it('stays small for a schema that contains others very many times', () => {
    const names = Array.from({ length: 30 }, (_, index) => `n${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/wide' }]))
    const wide = { type: 'object', properties, required: names }
    const started = initialArguments(schemaDocumentOf({ $ref: '#/$defs/wide', $defs: { wide } }))
    expect(JSON.stringify(started).length).toBeLessThan(60_000)
  })
})

describe('one of several schemas', () => {
  const shapes: JsonObject = {
    oneOf: [
      { type: 'object', properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['kind', 'radius'] },
      { type: 'object', properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] },
      { type: 'null' },
    ],
  }
  const document = schemaDocumentOf(shapes)
  const alternatives = alternativesOf(document, resolveSchema(document, shapes))

  it('is named by its discriminator', () => {
    expect(alternatives.map(({ label }) => label)).toEqual(['circle', 'square', 'Nothing (null)'])
  })

  it('is the one that the value matches', () => {
    expect(chosenAlternative(alternatives, { kind: 'square', side: 1 })).toBe(1)
    expect(chosenAlternative(alternatives, null)).toBe(2)
  })

  it('is the one with the same discriminator while the value is incomplete', () => {
    expect(chosenAlternative(alternatives, { kind: 'square' })).toBe(1)
  })

  it('is the chosen one as long as possible, and none if none matches', () => {
    expect(chosenAlternative(alternatives, {}, 1)).toBe(1)
    expect(chosenAlternative(alternatives, null, 1)).toBe(2)
    expect(chosenAlternative(alternatives, 'text')).toBe(-1)
  })
})

describe('a shape', () => {
  it('includes references, all parts, and the branch of a condition that applies to the value', () => {
    const schema: JsonObject = {
      $ref: '#/$defs/base',
      allOf: [{ properties: { b: { type: 'number' } }, required: ['b'] }],
      if: { properties: { a: { const: 'x' } } },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
      then: { properties: { c: {} } },
      else: { properties: { d: {} } },
      $defs: { base: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
    }
    const document = schemaDocumentOf(schema)
    expect(Object.keys(resolveSchema(document, schema, { a: 'x' }).properties as object).sort()).toEqual(['a', 'b', 'c'])
    expect(Object.keys(resolveSchema(document, schema, { a: 'y' }).properties as object).sort()).toEqual(['a', 'b', 'd'])
    expect(resolveSchema(document, schema).required).toEqual(['a', 'b'])
  })

  it('is found through anchors and names, too, and allows anything if a reference is unresolved', () => {
    const schema: JsonObject = {
      $defs: { a: { $anchor: 'here', type: 'string' }, b: { $id: 'https://example.com/b', type: 'number' } },
    }
    const document = schemaDocumentOf(schema)
    expect(resolveSchema(document, { $ref: '#here' }).type).toBe('string')
    expect(resolveSchema(document, { $ref: 'https://example.com/b' }).type).toBe('number')
    expect(kindOf(resolveSchema(document, { $ref: '#/nowhere' }))).toBe('either')
  })

  it('ends if references form a cycle', () => {
    const schema: JsonObject = {
      $ref: '#/$defs/a',
      $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }, { title: 'B' }] } },
    }
    expect(resolveSchema(schemaDocumentOf(schema), schema).title).toBe('B')
  })
})
