import { isObject, type Json, type JsonObject, typeOfJson } from '../../../json.js'
import { toPointer } from '../../../schema/pointer.js'
import { rulesProblem } from '../rules-error.js'
import { globSchema, isUnclearGlob } from './name-schema.js'

/**
 * Calls that a schema should find: `sure` finds those that certainly fit, to allow them; `maybe` all that could fit, to stop them. The two
 * differ if a value is not of the type that a keyword applies to: `pattern` says nothing about lists.
 */
export type MatchMode = 'sure' | 'maybe'

type Place = { readonly way: MatchMode; readonly at: string }
type Writing = (argument: Json, place: Place) => JsonObject

/** The JSON Schema for the short form of an argument. */
export function argumentSchemaOf(short: Json, { way, at }: Place): Json {
  if (typeof short === 'boolean') return short
  if (!isObject(short)) throw rulesProblem(at, 'must be a schema: an object, true or false')
  const schema: JsonObject = {}
  const besides: Json[] = []
  for (const [keyword, argument = null] of Object.entries(short)) {
    const written = writingOf(keyword, at)(argument, { way, at: `${at}/${keyword}` })
    if (keyword in written) Object.assign(schema, written)
    else besides.push(written)
  }
  const types = [...new Set(Object.keys(schema).flatMap((keyword) => typeOfKeyword[keyword] ?? []))]
  if (way === 'sure' && types.length > 0 && schema.type === undefined) schema.type = types
  return besides.length === 0 ? schema : { allOf: [schema, ...besides] }
}

/** Exactly these values. `'true'` and `1` are no booleans, but a lenient tool may read them as one. */
export const valueSchema = (values: readonly Json[], way: MatchMode): JsonObject =>
  orOtherType({ enum: [...values] }, [...new Set(values.map(typeOfJson))], way)

/** With `maybe`, a value of another type fits too, because a lenient tool may read it as the expected type. */
const orOtherType = (schema: JsonObject, types: string[], way: MatchMode): JsonObject =>
  way === 'sure' ? schema : { anyOf: [schema, { not: { type: types } }] }

const opposite = { sure: 'maybe', maybe: 'sure' } as const

const typeOfKeyword: { readonly [keyword: string]: string } = {
  ...each(['pattern', 'minLength', 'maxLength'], 'string'),
  ...each(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'], 'number'),
  ...each(['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'], 'array'),
  ...each(['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'], 'object'),
  ...each(['minProperties', 'maxProperties'], 'object'),
}

const writings: { readonly [keyword: string]: Writing } = {
  ...each(['type', ...Object.keys(typeOfKeyword)], (argument: Json, { at }: Place) => ({ [keywordIn(at)]: argument })),
  ...each(['items', 'contains', 'additionalProperties', 'propertyNames'], (argument: Json, place: Place) => ({
    [keywordIn(place.at)]: argumentSchemaOf(argument, place),
  })),
  ...each(['anyOf', 'allOf', 'prefixItems'], (argument: Json, place: Place) => ({
    [keywordIn(place.at)]: schemaList(argument, place),
  })),
  ...each(['properties', 'patternProperties'], (argument: Json, place: Place) => ({
    [keywordIn(place.at)]: schemasByName(argument, place),
  })),
  not: (argument, { way, at }) => ({ not: argumentSchemaOf(argument, { way: opposite[way], at }) }),
  const: (argument, { way }) => valueSchema([argument], way),
  enum: (argument, { way, at }) => valueSchema(Array.isArray(argument) ? argument : refuse(at, 'must be a list of values'), way),
  glob: (argument, { way, at }) => orOtherType(globSchema(globIn(argument, at)), ['string'], way),
}

function globIn(argument: Json, at: string): string {
  if (typeof argument !== 'string') return refuse(at, 'must be a string')
  if (!isUnclearGlob(argument)) return argument
  return refuse(at, 'a glob knows * and ? only; write ? for such a character, a list under "anyOf", or a "pattern"')
}

function each<T>(keywords: readonly string[], value: T): { [keyword: string]: T } {
  return Object.fromEntries(keywords.map((keyword) => [keyword, value]))
}

const keywordIn = (at: string) => at.slice(at.lastIndexOf('/') + 1)

function schemaList(schemas: Json, { way, at }: Place): Json[] {
  if (!Array.isArray(schemas)) return refuse(at, 'must be a list of schemas')
  return schemas.map((schema, index) => argumentSchemaOf(schema, { way, at: `${at}/${index}` }))
}

function schemasByName(schemas: Json, { way, at }: Place): JsonObject {
  if (!isObject(schemas)) return refuse(at, 'must be an object of schemas')
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema = null]) => [name, argumentSchemaOf(schema, { way, at: at + toPointer([name]) })]),
  )
}

function writingOf(keyword: string, at: string): Writing {
  const writing = Object.hasOwn(writings, keyword) ? writings[keyword] : undefined
  return writing ?? refuse(`${at}/${keyword}`, whyNot(keyword))
}

function refuse(at: string, message: string): never {
  throw rulesProblem(at, message)
}

function whyNot(keyword: string): string {
  if (keyword === 'under' || keyword === 'outside' || keyword === 'optional')
    return `"${keyword}" must be directly below the name of an argument`
  return `${JSON.stringify(keyword)} is not a keyword of the short form; write conditions that need it as a JSON Schema under "call"`
}
