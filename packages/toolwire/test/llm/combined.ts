// Schemas of arguments with all combinators at the root, and arguments that may satisfy them.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/json.js'

const name = fc.constantFrom('a', 'b', 'ab', 'id', '__proto__')
const values: readonly Json[] = ['x', 'ab', 1, 4, null, true, [], [1], ['x', 1], [1, 'x', 4], { a: 1 }, { b: 'x' }]
const leaf = fc.constantFrom<Json>(
  { type: 'string' },
  { type: ['integer', 'null'] },
  { type: 'number', minimum: 2 },
  { enum: ['x', 1] },
  { const: 'ab' },
  { $ref: '#/$defs/leaf' },
  { $ref: '#/$defs/leaf', type: 'string' },
  true,
  false,
)

const list: fc.Arbitrary<JsonObject> = fc.record(
  {
    type: fc.constant('array'),
    prefixItems: fc.array(leaf, { minLength: 1, maxLength: 2 }),
    items: leaf,
    contains: leaf,
    unevaluatedItems: fc.constant(false),
  },
  { requiredKeys: ['type'] },
)

const one = <T>(keyword: string, value: fc.Arbitrary<T>) => value.map((argument) => ({ [keyword]: argument }) as JsonObject)

const { root } = fc.letrec<{ root: JsonObject; member: Json; keyword: JsonObject }>((tie) => {
  const members = fc.dictionary(name, tie('member'), { maxKeys: 2, noNullPrototype: true })
  const branches = fc.array(tie('root'), { minLength: 1, maxLength: 2 })
  const required = fc.uniqueArray(name, { maxLength: 1 })
  const patterns = fc.dictionary(fc.constantFrom('^a', 'b$'), leaf, { maxKeys: 2, noNullPrototype: true })
  const type = fc.constantFrom<Json>('object', ['object', 'null'])
  return {
    member: fc.oneof(
      { depthSize: 'xsmall' },
      { weight: 4, arbitrary: leaf },
      { weight: 2, arbitrary: list as fc.Arbitrary<Json> },
      tie('root'),
    ),
    keyword: fc.oneof(
      { depthSize: 'xsmall' },
      { weight: 3, arbitrary: one('properties', members) },
      { weight: 2, arbitrary: one('required', required) },
      one('type', type),
      { weight: 2, arbitrary: one('additionalProperties', fc.oneof(fc.constant(false), leaf)) },
      { weight: 2, arbitrary: one('unevaluatedProperties', fc.oneof(fc.constant(false), leaf)) },
      { weight: 2, arbitrary: one('patternProperties', patterns) },
      one('dependentSchemas', fc.dictionary(name, tie('root'), { maxKeys: 1, noNullPrototype: true })),
      ...['allOf', 'anyOf', 'oneOf'].map((keyword) => ({ weight: 2, arbitrary: one(keyword, branches) })),
      ...['not', 'if', 'then', 'else'].map((keyword) => one(keyword, tie('root'))),
      one('$ref', fc.constant('#/$defs/whole')),
      one('enum', fc.constant([{ a: 1 }, {}, 'x'])),
    ),
    root: fc.array(tie('keyword'), { maxLength: 4 }).map((parts) => Object.assign({}, ...parts) as JsonObject),
  }
})

/** Definitions contain no references, so there are no cycles. */
export const combined: fc.Arbitrary<JsonObject> = fc
  .tuple(
    root,
    fc.constantFrom<Json>({ type: 'string' }, { minimum: 1 }, { anyOf: [{ type: 'null' }, { type: 'array' }] }),
    fc.constantFrom<Json>(
      { type: 'object', properties: { a: { type: 'string' } } },
      { properties: { b: { type: 'number' } }, additionalProperties: false },
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    ),
  )
  .map(([schema, one, whole]) => ({ ...schema, $defs: { leaf: one, whole } }))

export const someArguments: fc.Arbitrary<JsonObject> = fc.dictionary(name, fc.constantFrom(...values), {
  maxKeys: 3,
  noNullPrototype: true,
}) as fc.Arbitrary<JsonObject>
