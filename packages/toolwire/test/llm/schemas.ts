// Schemas of tools, some of them broken, and values that may satisfy them.
import fc from 'fast-check'
import { isObject, type Json, type JsonObject } from '../../src/json.js'

const name = fc.constantFrom('a', 'b', 'c', 'id', '__proto__')
const words = fc.record({ description: fc.string({ maxLength: 10 }), title: fc.constant('T') }, { requiredKeys: [] })

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record(
    { type: fc.constant('string'), minLength: fc.nat(2), maxLength: fc.integer({ min: 2, max: 5 }) },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    { type: fc.constantFrom('integer', 'number'), minimum: fc.nat(3), exclusiveMaximum: fc.integer({ min: 4, max: 9 }) },
    { requiredKeys: ['type'] },
  ),
  fc.constantFrom<JsonObject>(
    { type: 'boolean' },
    { type: ['string', 'null'] },
    { type: 'null' },
    { enum: ['x', 'y'] },
    { const: 'x' },
    {},
    { enum: [1, 'x', null] },
  ),
  fc.constantFrom<JsonObject>(
    { $ref: '#' },
    { $ref: '#/$defs/d' },
    { type: 'string', format: 'email' },
    { type: 'string', pattern: '^a' },
  ),
)

const { schema } = fc.letrec<{ schema: JsonObject; object: JsonObject; members: JsonObject }>((tie) => ({
  members: fc.dictionary(name, tie('schema'), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
  object: fc.record(
    {
      type: fc.constant('object'),
      properties: tie('members'),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: tie('schema') }),
    },
    { requiredKeys: ['type', 'properties'] },
  ) as fc.Arbitrary<JsonObject>,
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: fc.tuple(leaf, words).map(([one, said]) => ({ ...one, ...said })) },
    { weight: 3, arbitrary: tie('object') },
    { weight: 2, arbitrary: tie('schema').map((items) => ({ type: 'array', items, maxItems: 3 })) },
    { weight: 1, arbitrary: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })) },
    { weight: 1, arbitrary: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((oneOf) => ({ oneOf })) },
    { weight: 1, arbitrary: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })) },
    {
      weight: 1,
      arbitrary: fc
        .array(tie('schema'), { minLength: 1, maxLength: 2 })
        .map((items) => ({ type: 'array', prefixItems: items, items: false })),
    },
  ),
}))

/** Tool schemas with an object at the root and a definition for references. */
export const anySchema: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.dictionary(name, schema, { maxKeys: 4, noNullPrototype: true }),
    fc.uniqueArray(name, { maxLength: 3 }),
    schema,
    fc.boolean(),
  )
  .map(([properties, required, d, closed]) => ({
    type: 'object',
    properties,
    required: required.filter((each) => Object.hasOwn(properties, each)),
    $defs: { d },
    ...(closed && { additionalProperties: false }),
  }))

const keyword = fc.constantFrom(
  'type',
  'properties',
  'required',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'enum',
  'const',
  '$ref',
  '$id',
  'dependencies',
  'exclusiveMinimum',
  'minimum',
  'additionalProperties',
  'patternProperties',
  'format',
  'default',
  'description',
  'x-own',
  'contains',
)

/** Keywords with invalid values. */
export const brokenSchema: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, 1, 'object', 'string', '#', '#/properties/a', 'a'),
    fc.array(tie('json'), { maxLength: 3 }) as fc.Arbitrary<Json>,
    fc.dictionary(keyword, tie('json'), { maxKeys: 5, noNullPrototype: true }) as fc.Arbitrary<Json>,
    fc.dictionary(name, tie('json'), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Json>,
  ),
})).json

/** Values that may satisfy a schema, with members and items as it describes them. */
export function valueLike(schema: Json | undefined, root: Json | undefined = schema, depth = 0): fc.Arbitrary<Json> {
  if (!isObject(schema) || depth > 5) return fc.constantFrom<Json>('x', 5, true, null)
  if (schema.$ref === '#') return valueLike(root, root, depth + 1)
  if (schema.$ref === '#/$defs/d' && isObject(root) && isObject(root.$defs)) return valueLike(root.$defs.d, root, depth + 1)
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter((each) => isObject(each))
  if (branches.length > 0) return fc.oneof(...branches.map((branch) => valueLike(branch, root, depth + 1)))
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  const types = [schema.type ?? 'string'].flat()
  return fc.oneof(...types.map((type) => valuesOf(type, schema, root, depth)))
}

function valuesOf(type: Json, schema: JsonObject, root: Json | undefined, depth: number): fc.Arbitrary<Json> {
  if (type === 'object') return memberValues(schema, root, depth)
  if (type === 'array') {
    const items = Array.isArray(schema.prefixItems) ? schema.prefixItems[0] : schema.items
    return fc.array(valueLike(items, root, depth + 1), { maxLength: 2 })
  }
  if (type === 'integer' || type === 'number') return fc.constantFrom<Json>(3, 4)
  if (type === 'boolean') return fc.boolean()
  return type === 'null' ? fc.constant(null) : fc.constantFrom('ab', 'ax', 'abc')
}

function memberValues(schema: JsonObject, root: Json | undefined, depth: number): fc.Arbitrary<Json> {
  const members = Object.entries(isObject(schema.properties) ? schema.properties : {})
  const required = Array.isArray(schema.required) ? schema.required : []
  const entries = members.map(([member, one]) => {
    const value = valueLike(one, root, depth + 1).map((made): [string, Json][] => [[member, made]])
    return required.includes(member) ? value : fc.oneof(value, fc.constant([]))
  })
  return fc.tuple(...entries).map((made) => Object.fromEntries(made.flat()))
}
