// Generated schemas and values of every kind, for property tests.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/schemas/json.js'

const words = fc.constantFrom('a', 'b', 'name', 'x/y', '~', '__proto__', 'π')
const scalar = fc.oneof(fc.string({ maxLength: 5 }), fc.integer({ min: -9, max: 9 }), fc.boolean(), fc.constant(null))

/** Values that may or may not satisfy the generated schemas. */
export const values: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(words, tie('value'), { maxKeys: 4 }),
  ),
})).value

const plain: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array') }),
  fc.record({
    type: fc.uniqueArray(fc.constantFrom('string', 'number', 'boolean', 'null', 'object'), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ const: scalar }),
  fc.record({ $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/nowhere') }),
  fc.record({ type: fc.constant('string'), minLength: fc.nat(3), format: fc.constantFrom('date', 'uri', 'own') }),
  fc.record({ default: scalar }),
)

const inner: fc.Arbitrary<Json> = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    plain,
    fc.boolean(),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(words, tie('schema'), { maxKeys: 3 }),
        required: fc.uniqueArray(words, { maxLength: 2 }),
        additionalProperties: tie('schema'),
      },
      { requiredKeys: ['properties'] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }, { requiredKeys: ['type', 'items'] }),
    fc.record({ prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), type: fc.constant('array') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), title: fc.constant('Any') }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
    fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
  ),
})).schema

/** Schemas that may be recursive, unsatisfiable, or refer to nothing. */
export const schemas: fc.Arbitrary<JsonObject> = fc
  .record({ root: inner, a: inner, b: inner })
  .map(({ root, a, b }) => ({ ...(typeof root === 'object' ? (root as JsonObject) : {}), $defs: { a, b } }))
