import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/json.js'
import { compile, SchemaError } from '../../src/schema/index.js'
import { howMany } from '../soak.js'

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, addUsedSchema: false })

const name = fc.constantFrom('a', 'b', 'c', 'ab')
const small = fc.integer({ min: 0, max: 3 })
const typeName = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string')

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', 'b', '💩'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

// Without `contains` and the unevaluated keywords, because Ajv deviates from the specification there (an empty list beside prefixItems,
// members that only a failed branch has evaluated). The official suite tests these keywords.
const assertions = {
  type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })),
  enum: fc.array(value, { minLength: 1, maxLength: 3 }),
  const: value,
  minimum: small,
  exclusiveMaximum: small,
  multipleOf: fc.constantFrom(1, 2, 0.5),
  minLength: small,
  maxLength: small,
  pattern: fc.constantFrom('^a', 'b$', '^.{2}$', '[^a]'),
  minItems: small,
  maxItems: small,
  uniqueItems: fc.boolean(),
  minProperties: small,
  maxProperties: small,
  required: fc.uniqueArray(name, { maxLength: 2 }),
  dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
}

const { schema } = fc.letrec<{ schema: Json; map: JsonObject; list: Json[] }>((tie) => ({
  map: fc.dictionary(name, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
  list: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.boolean(),
    sparse(assertions, 3),
    sparse(
      {
        ...assertions,
        prefixItems: tie('list'),
        items: tie('schema'),
        properties: tie('map'),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema'), { maxKeys: 2, noNullPrototype: true }),
        additionalProperties: tie('schema'),
        propertyNames: tie('schema'),
        dependentSchemas: tie('map'),
        allOf: tie('list'),
        anyOf: tie('list'),
        oneOf: tie('list'),
        not: tie('schema'),
        ...branches(tie('schema')),
      },
      4,
    ),
  ),
}))

/** Created from entries, because an object literal with a member `then` looks like a promise. */
function branches(part: fc.Arbitrary<Json>): Record<string, fc.Arbitrary<Json>> {
  return Object.fromEntries(['if', 'then', 'else'].map((keyword) => [keyword, part]))
}

/** An object with a few of the members. */
function sparse(members: Record<string, fc.Arbitrary<Json>>, most: number): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.constantFrom(...Object.keys(members)), { minLength: 1, maxLength: most })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, members[key]!])), { noNullPrototype: true }))
}

it('5,000 schemas and values are judged as by Ajv', () => {
  let valid = 0
  const property = fc.property(schema, fc.array(value, { minLength: 5, maxLength: 5 }), (tested, values) => {
    const second = ajv.compile(tested as JsonObject | boolean)
    for (const trusted of [true, false]) {
      const compiled = compile(tested, { trusted })
      for (const one of values) {
        const holds = compiled.check(one).length === 0
        expect({ one, holds }).toEqual({ one, holds: judgement(second, one) ?? holds })
        if (holds) valid++
      }
    }
  })
  fc.assert(property, { numRuns: howMany(300, 1_000) })
  // A comparison of only refusals would prove little.
  expect(valid).toBeGreaterThan(1_000)
})

/** The result of Ajv. Its generated code fails for a few schemas; the result is then undefined. */
function judgement(second: ValidateFunction, one: Json): boolean | undefined {
  try {
    return second(one)
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined
    throw thrown
  }
}

it('JSCH-006 mistakes in a schema are found as by the meta-schema', () => {
  const keywordName = fc.constantFrom(
    ...Object.keys(assertions),
    'items',
    'properties',
    'allOf',
    'if',
    'prefixItems',
    '$defs',
    'title',
    'format',
    'deprecated',
  )
  const property = fc.property(keywordName, fc.oneof(value, schema, typeName), (keyword, argument) => {
    const tested = { [keyword]: argument }
    expect({ tested, refused: isRefused(tested) }).toEqual({ tested, refused: !ajv.validateSchema(tested) })
  })
  fc.assert(property, { numRuns: howMany(900, 3_000) })
})

function isRefused(tested: Json): boolean {
  try {
    compile(tested)
    return false
  } catch (thrown) {
    return thrown instanceof SchemaError && thrown.code === 'invalid-schema'
  }
}
