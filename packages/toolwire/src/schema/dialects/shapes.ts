import { isObject, type Json, type JsonObject } from '../../json.js'
import { nearest } from '../../text/nearest.js'

/** A subschema and its path within the argument of a keyword. */
export type Subschema = { readonly at: readonly (string | number)[]; readonly schema: Json }

/** The required shape of a keyword's argument. */
export type ArgumentShape<T extends Json = Json> = {
  /** Completes "must be …". */
  readonly says: string
  /** The shape as a part of a meta-schema. */
  readonly meta: JsonObject
  readonly holds: (argument: Json) => boolean
  /** The subschemas within an argument that has this shape. */
  readonly parts?: ((argument: Json) => Subschema[]) | undefined
  /** A suggestion for an argument of another shape. */
  readonly hint?: (argument: Json) => string | undefined
  /** Never present; it ties the shape to the type of its arguments. */
  readonly of?: T
}

const shape = <T extends Json = Json>(
  says: string,
  meta: JsonObject,
  holds: (argument: Json) => boolean,
  parts?: (argument: Json) => Subschema[],
): ArgumentShape<T> => ({ says, meta, holds, parts })

const isString = (value: Json): value is string => typeof value === 'string'
const isStrings = (value: Json): boolean => Array.isArray(value) && value.every(isString) && new Set(value).size === value.length
const isSchemas = (value: Json): boolean => Array.isArray(value) && value.length > 0
const isSchema = (value: Json): boolean => typeof value === 'boolean' || isObject(value)
const isMapOf = (holds: (member: Json) => boolean) => (value: Json) =>
  isObject(value) && Object.values(value).every((member) => member !== undefined && holds(member))

const single = (schema: Json): Subschema[] => [{ at: [], schema }]
const listed = (schemas: Json): Subschema[] =>
  Array.isArray(schemas) ? schemas.map((schema, index) => ({ at: [index], schema })) : []
const mapped = (schemas: Json): Subschema[] =>
  isObject(schemas)
    ? Object.entries(schemas).flatMap(([name, schema]) => (schema === undefined ? [] : [{ at: [name], schema }]))
    : []

export const typeNames = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const
export type TypeName = (typeof typeNames)[number]
const isTypeName = (value: Json): boolean => typeNames.some((name) => name === value)
const isTypes = (value: Json): boolean =>
  isTypeName(value) || (isStrings(value) && Array.isArray(value) && value.length > 0 && value.every(isTypeName))

const definition = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` })
const mapOf = (member: JsonObject): JsonObject => ({ type: 'object', additionalProperties: member })
const anySchema: JsonObject = { $dynamicRef: '#meta' }

/** Definitions that the `meta` of the shapes refers to. */
export const metaDefinitions: JsonObject = {
  schemaArray: { type: 'array', minItems: 1, items: anySchema },
  nonNegativeInteger: { type: 'integer', minimum: 0 },
  simpleTypes: { enum: [...typeNames] },
  stringArray: { type: 'array', items: { type: 'string' }, uniqueItems: true },
  anchorString: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
}

export const anything = shape('any value', {}, () => true)
export const flag = shape<boolean>('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean')
export const text = shape<string>('a string', { type: 'string' }, isString)
export const regex = shape<string>('a regular expression', { type: 'string', format: 'regex' }, isString)
export const uriReference = shape<string>('a URI reference', { type: 'string', format: 'uri-reference' }, isString)

const fits = (form: RegExp) => (value: Json) => isString(value) && form.test(value)
const withoutFragment = { type: 'string', format: 'uri-reference', pattern: '^[^#]*#?$' }
export const identifier = shape<string>('a URI reference without a fragment', withoutFragment, fits(/^[^#]*#?$/))
const anchorForm = /^[A-Za-z_][-A-Za-z0-9._]*$/
export const anchor = shape<string>('a name of letters, digits, "-", "_" and "."', definition('anchorString'), fits(anchorForm))

export const number = shape<number>('a number', { type: 'number' }, (value) => typeof value === 'number')

const isPositive = (value: Json) => typeof value === 'number' && value > 0
export const positive = shape<number>('a number above 0', { type: 'number', exclusiveMinimum: 0 }, isPositive)
const isCount = (value: Json) => Number.isInteger(value) && Number(value) >= 0
export const count = shape<number>('a whole number, 0 or more', definition('nonNegativeInteger'), isCount)

export const values = shape<Json[]>('a list of values', { type: 'array', items: true }, Array.isArray)
export const strings = shape<string[]>('a list of different strings', definition('stringArray'), isStrings)

export const types: ArgumentShape<TypeName | TypeName[]> = {
  says: `one of ${typeNames.join(', ')}, or a list of these`,
  holds: isTypes,
  meta: {
    anyOf: [definition('simpleTypes'), { type: 'array', items: definition('simpleTypes'), minItems: 1, uniqueItems: true }],
  },
  hint: (value) => (isString(value) ? nearest(value, typeNames) : undefined),
}

export const flags = shape<{ [uri: string]: boolean }>('an object of booleans', mapOf(flag.meta), isMapOf(flag.holds))

export const stringLists = shape<{ [name: string]: string[] }>(
  'an object of lists of strings',
  mapOf(definition('stringArray')),
  isMapOf(isStrings),
)

export const schema = shape('a schema (an object, true or false)', anySchema, isSchema, single)
export const schemas = shape<Json[]>('a list of one or more schemas', definition('schemaArray'), isSchemas, listed)
export const schemaMap = shape<JsonObject>('an object of schemas', mapOf(anySchema), isObject, mapped)

export const schemaOrSchemas = shape(
  'a schema or a list of schemas',
  { anyOf: [anySchema, definition('schemaArray')] },
  (value) => isSchema(value) || isSchemas(value),
  (value) => (Array.isArray(value) ? listed(value) : single(value)),
)

export const dependencyMap = shape<JsonObject>(
  'an object of schemas or lists of strings',
  mapOf({ anyOf: [anySchema, definition('stringArray')] }),
  isMapOf((member) => isSchema(member) || isStrings(member)),
  (value) => mapped(value).filter((part) => !Array.isArray(part.schema)),
)
