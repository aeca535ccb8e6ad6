// Gemini's `Schema`: part of OpenAPI 3.0. https://ai.google.dev/api/caching#Schema
import { isObject, type Json, type JsonObject } from '../../json.js'
import { type Branches, branchesOf, type Site } from './branches.js'
import { charge, isSpent, newBudget, tooManyParts } from './budget.js'
import { formatOf, type Lowered, lostKeywords, pickKeywords, type ReportLoss } from './lowered.js'
import { objectRoot } from './object-root.js'

/** Keywords that are kept unchanged, by type. */
const taken: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
}
const formats: Readonly<Record<string, readonly Json[]>> = {
  string: ['date-time'],
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}
const words = ['title', 'description']
/** Keywords that are rewritten below. */
const handled = 'type enum format properties required items prefixItems exclusiveMinimum exclusiveMaximum'.split(' ')

export function lowerToGemini(plain: JsonObject, reportLoss: ReportLoss): Lowered {
  const schema = lowerTyped(objectRoot(plain, reportLoss), { reportLoss, path: [], budget: newBudget() })
  return { schema, strict: false, restore: (args) => args }
}

function schemaOf(schema: Json | undefined, site: Site): JsonObject {
  const { types, nullable }: Branches = branchesOf(isObject(schema) ? schema : {}, site)
  // A schema of any type is an anyOf itself.
  const lowered = types.map((type) => lowerTyped(type, site)).flatMap((each) => alternativesIn(each) ?? [each])
  const [first = { type: 'STRING' }] = lowered
  if (lowered.length === 0) site.reportLoss(site.path, 'type', 'only null is possible here')
  // No other keyword may stand beside anyOf, so each alternative carries its own title and description.
  const one = lowered.length > 1 ? { anyOf: lowered } : first
  return nullable ? asNullable(one) : one
}

function asNullable(schema: JsonObject): JsonObject {
  const alternatives = alternativesIn(schema)
  return alternatives ? { anyOf: alternatives.map(asNullable) } : { ...schema, nullable: true }
}

const alternativesIn = ({ anyOf }: JsonObject): JsonObject[] | undefined =>
  Array.isArray(anyOf) ? anyOf.filter((each) => isObject(each)) : undefined

function lowerTyped(schema: JsonObject, site: Site): JsonObject {
  site.budget.schemas -= 1
  if (isSpent(site.budget)) return typeOf(schema, site)
  charge(site.budget, schema)
  const type = typeof schema.type === 'string' ? schema.type : typeFrom(schema)
  if (type === undefined) return anything(schema, site)
  if (schema.type === undefined) site.reportLoss(site.path, 'type', `is missing, but required by the provider: ${type} is used`)
  const kept = [...words, ...(taken[type] ?? [])]
  // The model writes only named members, so `additionalProperties: false` can be dropped without a loss.
  const closed = schema.additionalProperties === false ? ['additionalProperties'] : []
  for (const keyword of lostKeywords(schema, [...kept, ...handled, ...closed]))
    site.reportLoss(site.path, keyword, 'is not part of this provider’s schemas')
  return {
    type: type.toUpperCase(),
    ...pickKeywords(schema, kept),
    ...boundsOf(schema, type, site),
    ...formatOf(schema, formats[type] ?? [], site),
    ...choicesOf(schema, type, site),
    ...(type === 'array' && itemsOf(schema, site)),
    ...(type === 'object' && membersOf(schema, site)),
  }
}

function typeOf(schema: JsonObject, { reportLoss, path }: Site): JsonObject {
  reportLoss(path, 'schema', tooManyParts)
  return { type: typeof schema.type === 'string' && schema.type !== 'array' ? schema.type.toUpperCase() : 'OBJECT' }
}

function typeFrom(schema: JsonObject): string | undefined {
  if (schema.properties !== undefined || schema.required !== undefined) return 'object'
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array'
  return undefined
}

function anything(schema: JsonObject, { reportLoss, path }: Site): JsonObject {
  reportLoss(path, 'type', 'is missing, but required by the provider: text, number, boolean or object is offered')
  return { anyOf: ['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT'].map((type) => ({ type, ...pickKeywords(schema, words) })) }
}

/** Makes exclusive bounds inclusive, because Gemini knows no others. */
function boundsOf(schema: JsonObject, type: string, { reportLoss, path }: Site): JsonObject {
  const bounds: JsonObject = {}
  for (const [exclusive, bound, step, tighter] of [
    ['exclusiveMinimum', 'minimum', 1, Math.max],
    ['exclusiveMaximum', 'maximum', -1, Math.min],
  ] as const) {
    const limit = schema[exclusive]
    if (typeof limit !== 'number') continue
    if (type !== 'integer') reportLoss(path, exclusive, `becomes ${bound}`)
    const inclusive = type === 'integer' && Number.isInteger(limit) ? limit + step : limit
    const other = schema[bound]
    bounds[bound] = typeof other === 'number' ? tighter(other, inclusive) : inclusive
  }
  return bounds
}

function choicesOf({ enum: values }: JsonObject, type: string, { reportLoss, path }: Site): JsonObject {
  if (!Array.isArray(values)) return {}
  const texts = values.filter((value) => typeof value === 'string' && value !== '')
  if (type === 'string' && texts.length === values.length && texts.length > 0) return { enum: texts }
  reportLoss(path, 'enum', type === 'string' ? 'contains an empty string' : 'is supported for strings only')
  return {}
}

function itemsOf({ items, prefixItems }: JsonObject, site: Site): JsonObject {
  if (!Array.isArray(prefixItems)) return { items: schemaOf(items, { ...site, path: [...site.path, 'items'] }) }
  site.reportLoss(site.path, 'prefixItems', 'cannot be given by position; any of the items is offered at each position')
  const rest = items === false ? [] : [items ?? {}]
  return { items: schemaOf({ anyOf: [...prefixItems, ...rest] }, { ...site, path: [...site.path, 'prefixItems'] }) }
}

function membersOf({ properties, required }: JsonObject, site: Site): JsonObject {
  const { reportLoss, path } = site
  const members = Object.entries(isObject(properties) ? properties : {})
  // An empty `properties` is refused, but an object without the keyword is not.
  if (members.length === 0) return {}
  const lowered = members.map(([name, schema]) => [name, schemaOf(schema, { ...site, path: [...path, 'properties', name] })])
  const names = Array.isArray(required) ? required : []
  const known = names.filter((name) => members.some(([member]) => member === name))
  if (known.length < names.length) reportLoss(path, 'required', 'names members that are not described')
  return { properties: Object.fromEntries(lowered), ...(known.length > 0 && { required: known }) }
}
