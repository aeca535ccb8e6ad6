import { isObject, type Json, type JsonObject } from '../../json.js'
import { nearest } from '../../text/nearest.js'

/** A subschema and where it stands below the schema that holds it. */
export type Subschema = { readonly at: readonly (string | number)[]; readonly schema: Json }

/** What the argument of a keyword must look like. */
export type ArgumentShape<T extends Json = Json> = {
  /** Completes "must be …". */
  readonly says: string
  readonly holds: (argument: Json) => boolean
  /** The same for a meta-schema. */
  readonly meta: JsonObject
  /** The subschemas within an argument that has this shape. */
  readonly parts?: (argument: Json) => Subschema[]
  /** What the author may have meant instead. */
  readonly hint?: (argument: Json) => string | undefined
  /** Never present; it ties the shape to the type of its arguments. */
  readonly of?: T
}

const isString = (value: Json): value is string => typeof value === 'string'
const isStrings = (value: Json): boolean => Array.isArray(value) && value.every(isString) && new Set(value).size === value.length
const isSchemas = (value: Json): boolean => Array.isArray(value) && value.length > 0
const isSchema = (value: Json): boolean => typeof value === 'boolean' || isObject(value)

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
const anySchema: JsonObject = { $dynamicRef: '#meta' }

/** What the `meta` of the shapes refers to. */
export const metaDefinitions: JsonObject = {
  schemaArray: { type: 'array', minItems: 1, items: anySchema },
  nonNegativeInteger: { type: 'integer', minimum: 0 },
  simpleTypes: { enum: [...typeNames] },
  stringArray: { type: 'array', items: { type: 'string' }, uniqueItems: true },
  anchorString: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
}

export const anything: ArgumentShape = { says: 'any value', holds: () => true, meta: {} }

export const flag: ArgumentShape<boolean> = {
  says: 'true or false',
  holds: (value) => typeof value === 'boolean',
  meta: { type: 'boolean' },
}

export const text: ArgumentShape<string> = { says: 'a string', holds: isString, meta: { type: 'string' } }

export const regex: ArgumentShape<string> = {
  says: 'a regular expression',
  holds: isString,
  meta: { type: 'string', format: 'regex' },
}

export const uriReference: ArgumentShape<string> = {
  says: 'a URI reference',
  holds: isString,
  meta: { type: 'string', format: 'uri-reference' },
}

export const identifier: ArgumentShape<string> = {
  says: 'a URI reference without a fragment',
  holds: (value) => isString(value) && /^[^#]*#?$/.test(value),
  meta: { type: 'string', format: 'uri-reference', pattern: '^[^#]*#?$' },
}

export const anchor: ArgumentShape<string> = {
  says: 'a name of letters, digits, "-", "_" and "."',
  holds: (value) => isString(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
  meta: definition('anchorString'),
}

export const number: ArgumentShape<number> = {
  says: 'a number',
  holds: (value) => typeof value === 'number',
  meta: { type: 'number' },
}

export const positive: ArgumentShape<number> = {
  says: 'a number above 0',
  holds: (value) => typeof value === 'number' && value > 0,
  meta: { type: 'number', exclusiveMinimum: 0 },
}

export const count: ArgumentShape<number> = {
  says: 'a whole number, 0 or more',
  holds: (value) => Number.isInteger(value) && Number(value) >= 0,
  meta: definition('nonNegativeInteger'),
}

export const values: ArgumentShape<Json[]> = {
  says: 'a list of values',
  holds: Array.isArray,
  meta: { type: 'array', items: true },
}

export const strings: ArgumentShape<string[]> = {
  says: 'a list of different strings',
  holds: isStrings,
  meta: definition('stringArray'),
}

export const types: ArgumentShape<TypeName | TypeName[]> = {
  says: `one of ${typeNames.join(', ')}, or a list of these`,
  holds: isTypes,
  meta: {
    anyOf: [definition('simpleTypes'), { type: 'array', items: definition('simpleTypes'), minItems: 1, uniqueItems: true }],
  },
  hint: (value) => (isString(value) ? nearest(value, typeNames) : undefined),
}

export const flags: ArgumentShape<{ [uri: string]: boolean }> = {
  says: 'an object of booleans',
  holds: (value) => isObject(value) && Object.values(value).every((member) => typeof member === 'boolean'),
  meta: { type: 'object', additionalProperties: { type: 'boolean' } },
}

export const stringLists: ArgumentShape<{ [name: string]: string[] }> = {
  says: 'an object of lists of strings',
  holds: (value) => isObject(value) && Object.values(value).every((member) => member !== undefined && isStrings(member)),
  meta: { type: 'object', additionalProperties: definition('stringArray') },
}

export const schema: ArgumentShape = {
  says: 'a schema (an object, true or false)',
  holds: isSchema,
  meta: anySchema,
  parts: single,
}

export const schemas: ArgumentShape<Json[]> = {
  says: 'a list of one or more schemas',
  holds: isSchemas,
  meta: definition('schemaArray'),
  parts: listed,
}

export const schemaMap: ArgumentShape<JsonObject> = {
  says: 'an object of schemas',
  holds: isObject,
  meta: { type: 'object', additionalProperties: anySchema },
  parts: mapped,
}

export const schemaOrSchemas: ArgumentShape = {
  says: 'a schema or a list of schemas',
  holds: (value) => isSchema(value) || isSchemas(value),
  meta: { anyOf: [anySchema, definition('schemaArray')] },
  parts: (value) => (Array.isArray(value) ? listed(value) : single(value)),
}

export const dependencyMap: ArgumentShape<JsonObject> = {
  says: 'an object of schemas or lists of strings',
  holds: (value) =>
    isObject(value) && Object.values(value).every((member) => member !== undefined && (isSchema(member) || isStrings(member))),
  meta: { type: 'object', additionalProperties: { anyOf: [anySchema, definition('stringArray')] } },
  parts: (value) => mapped(value).filter((part) => !Array.isArray(part.schema)),
}
