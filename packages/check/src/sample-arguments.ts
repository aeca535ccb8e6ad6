// Arguments that a schema should accept, for tools without arguments from the operator.
import type { Json, JsonObject } from 'toolwire'
import { compile } from 'toolwire/schema'
import { isObject, ownMember } from './json.js'

const deepest = 8

/** Arguments with every required property; undefined if none are found that the schema accepts. */
export function sampleArguments(schema: Json | undefined): JsonObject | undefined {
  const made = valueFor(schema, 0)
  if (!isObject(schema) || !isObject(made)) return undefined
  return isValid(schema, made) ? made : undefined
}

/** Does the value satisfy the schema? False if the schema is invalid. */
export function isValid(schema: Json, value: Json): boolean {
  try {
    return compile(schema).check(value).length === 0
  } catch {
    return false // another check reports schemas that do not compile
  }
}

export function isCompilable(schema: Json): boolean {
  try {
    compile(schema)
    return true
  } catch {
    return false // the schema is invalid
  }
}

function valueFor(schema: Json | undefined, depth: number): Json {
  if (!isObject(schema) || depth > deepest) return null
  const given = schema.const ?? schema.default ?? first(schema.examples) ?? first(schema.enum)
  if (given !== undefined) return given
  const type = first(schema.type) ?? schema.type
  const make = typeof type === 'string' && Object.hasOwn(makers, type) ? makers[type] : undefined
  if (make) return make(schema, depth)
  const branch = first(schema.anyOf) ?? first(schema.oneOf)
  return branch === undefined ? 'text' : valueFor(branch, depth + 1)
}

const makers: Readonly<Record<string, (schema: JsonObject, depth: number) => Json>> = {
  object: objectFor,
  array: ({ minItems, items }, depth) =>
    Array.from({ length: Math.min(numberOr(minItems, 0), 10) }, () => valueFor(items, depth + 1)),
  string: ({ minLength, format }) =>
    (typeof format === 'string' && Object.hasOwn(formats, format) && formats[format]) ||
    'text'.padEnd(Math.min(numberOr(minLength, 0), 1_000), 'x'),
  number: ({ minimum, exclusiveMinimum }) => numberOr(minimum, numberOr(exclusiveMinimum, 0) + 1),
  integer: ({ minimum, exclusiveMinimum }) => Math.ceil(numberOr(minimum, numberOr(exclusiveMinimum, 0) + 1)),
  boolean: () => false,
  null: () => null,
}

const formats: Readonly<Record<string, string>> = {
  uri: 'https://example.com/',
  email: 'ada@example.com',
  date: '2025-01-01',
  'date-time': '2025-01-01T00:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function objectFor({ properties, required }: JsonObject, depth: number): JsonObject {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const of = isObject(properties) ? properties : {}
  return Object.fromEntries(names.map((name) => [name, valueFor(ownMember(of, name), depth + 1)]))
}

const first = (value: Json | undefined): Json | undefined => (Array.isArray(value) ? value[0] : undefined)
const numberOr = (value: Json | undefined, otherwise: number): number => (typeof value === 'number' ? value : otherwise)
