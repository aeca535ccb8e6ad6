import { isObject, type Json, type JsonObject } from '../json.js'
import { fromPointer } from './pointer.js'

const openings = ['additionalProperties', 'unevaluatedProperties', 'patternProperties']
const compositions = ['allOf', 'anyOf', 'oneOf', 'if', '$ref', '$dynamicRef', 'dependentSchemas']

/**
 * Closes an object schema, so that it refuses properties it does not name. A schema with a rule for other properties is returned
 * as it is.
 *
 * @example
 * ```ts
 * const strict = withoutAdditionalProperties({ type: 'object', properties: { city: { type: 'string' } } })
 * ```
 */
export function withoutAdditionalProperties(schema: JsonObject): JsonObject {
  if (openings.some((name) => name in schema) || !describesObjects(schema)) return schema
  if (!compositions.some((name) => name in schema)) return { ...schema, additionalProperties: false }
  // Draft-07 has no unevaluatedProperties.
  return isDraft07(schema) ? schema : { ...schema, unevaluatedProperties: false }
}

function describesObjects(schema: JsonObject): boolean {
  if (schema.type !== undefined && schema.type !== 'object') return false
  return isObject(schema.properties) || compositions.some((name) => name in schema)
}

const isDraft07 = (schema: JsonObject): boolean => typeof schema.$schema === 'string' && schema.$schema.includes('draft-07')

/** Names of the properties that a closed schema allows; undefined if it is open or its names cannot be determined. */
export function knownKeys(schema: JsonObject): ReadonlySet<string> | undefined {
  if (schema.additionalProperties !== false && schema.unevaluatedProperties !== false) return undefined
  const names = new Set<string>()
  return collect(schema, { names, root: schema, visited: new Set() }) ? names : undefined
}

type Search = { readonly names: Set<string>; readonly root: JsonObject; readonly visited: Set<Json> }

function collect(part: Json | undefined, search: Search): boolean {
  if (part === undefined || typeof part === 'boolean' || search.visited.has(part)) return true
  if (!isObject(part)) return false
  search.visited.add(part)
  if (part !== search.root && openings.some((name) => name in part && part[name] !== false)) return false
  if ('patternProperties' in part || '$dynamicRef' in part) return false
  for (const name of Object.keys(isObject(part.properties) ? part.properties : {})) search.names.add(name)
  return partsOf(part, search.root).every((inner) => collect(inner, search))
}

function partsOf(part: JsonObject, root: JsonObject): (Json | undefined)[] {
  const lists = [part.allOf, part.anyOf, part.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const beside = isObject(part.dependentSchemas) ? Object.values(part.dependentSchemas) : []
  const target = typeof part.$ref === 'string' ? [localTarget(part.$ref, root)] : []
  return [...lists, ...beside, part.if, part.then, part.else, ...target]
}

/** Returns the target of a reference within the document, or null (which is no schema) if the reference cannot be resolved. */
export function localTarget(reference: string, root: JsonObject): Json {
  const pointer = reference.startsWith('#') ? fromPointer(reference.slice(1)) : undefined
  let place: Json | undefined = pointer && root
  for (const segment of pointer ?? []) place = isObject(place) && Object.hasOwn(place, segment) ? place[segment] : undefined
  return place ?? null
}
