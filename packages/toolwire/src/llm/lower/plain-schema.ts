// The first half of lowering, the same for every provider: a schema of any edition, perhaps broken, perhaps endless, becomes one
// of 2020-12 without references, of bounded size, with nothing hidden in its text.
import { isObject, type Json, type JsonObject } from '../../json.js'
import { cleanText } from '../../text/clean-text.js'
import { capped } from '../../text/cut.js'
import { plainDescription } from '../../text/plain-description.js'
import type { Lose, Path } from './lowered.js'
import { modernize } from './modernize.js'
import { referenceResolver } from './resolve-reference.js'
import { changeParts, holdsSchemas, keywords } from './schema-parts.js'

/** How much of a schema is put before a model. */
export type SchemaLimits = {
  /** Characters in all. */
  readonly size: number
  readonly depth: number
  /** Longest description in it. */
  readonly description: number
}
export const defaultSchemaLimits: SchemaLimits = { size: 32_768, depth: 16, description: 1_024 }

type Resolve = (reference: string) => Json | undefined
type Place = {
  readonly path: Path
  readonly depth: number
  readonly resolve: Resolve
  /** The targets of the references that led here. */
  readonly trail: readonly Json[]
}

/** They name parts or speak to people who edit the schema; without references they mean nothing. */
const droppedKeywords = new Set('$schema $id $anchor $dynamicAnchor $vocabulary $comment $defs definitions $ref'.split(' '))
export const annotationKeywords: ReadonlySet<string> = new Set(
  'title description default deprecated readOnly writeOnly examples'.split(' '),
)

const perSchema = 8
const tooLarge = 'makes the schema too large'
export const notUnderstood = 'is not understood'

/** A recursive schema is shown this often within itself. */
const mostRecursion = 2

export const plainSchema = (schema: Json, lose: Lose, limits: SchemaLimits = defaultSchemaLimits): JsonObject =>
  new SchemaFlattener(lose, limits).whole(schema)

class SchemaFlattener {
  readonly #lose: Lose
  readonly #limits: SchemaLimits
  #left: number
  /** Beside a `$ref` of draft-07 nothing counts but words. */
  #alone = false

  constructor(lose: Lose, limits: SchemaLimits) {
    this.#lose = lose
    this.#limits = limits
    this.#left = limits.size
  }

  whole(schema: Json): JsonObject {
    this.#alone = isObject(schema) && typeof schema.$schema === 'string' && schema.$schema.includes('draft-07')
    const nowhere = { path: [], depth: 0, resolve: () => undefined, trail: [] }
    return this.#schema(schema, isObject(schema) ? { ...nowhere, resolve: referenceResolver(schema) } : nowhere)
  }

  #schema(schema: Json, place: Place): JsonObject {
    if (schema === true) return {}
    if (schema === false) return { not: {} }
    if (!isObject(schema)) return this.#without(place, 'schema', 'is not a schema')
    this.#left -= perSchema + Object.keys(schema).length
    if (this.#left < 0) return this.#without(place, 'schema', tooLarge)
    if (place.depth > this.#limits.depth) return this.#without(place, 'schema', 'nests too deep')
    const inside = typeof schema.$id === 'string' && place.depth > 0 ? { ...place, resolve: referenceResolver(schema) } : place
    return typeof schema.$ref === 'string' ? this.#referring(schema.$ref, schema, inside) : this.#members(schema, inside)
  }

  #without(place: Place, keyword: string, why: string): JsonObject {
    this.#lose(place.path, keyword, why)
    return {}
  }

  #referring(reference: string, schema: JsonObject, place: Place): JsonObject {
    const beside = this.#members(this.#alone ? wordsOf(schema) : schema, place)
    const target = place.resolve(reference) ?? null
    const met = place.trail.filter((earlier) => earlier === target).length
    if (target === null) return { ...this.#without(place, '$ref', 'points to nothing in this schema'), ...beside }
    if (met >= mostRecursion)
      return { ...this.#without(place, '$ref', 'refers to itself, so it is cut here'), ...typeOnly(target), ...beside }
    const meant = this.#schema(target, { ...place, depth: place.depth + 1, trail: [...place.trail, target] })
    if (Object.keys(beside).every((keyword) => annotationKeywords.has(keyword))) return { ...meant, ...beside }
    // In the same schema, since unevaluatedProperties beside a reference sees what the reference has evaluated.
    return { ...beside, allOf: [meant, ...(Array.isArray(beside.allOf) ? beside.allOf : [])] }
  }

  #members(schema: JsonObject, place: Place): JsonObject {
    const kept: JsonObject = {}
    for (const [keyword, argument] of Object.entries(modernize(schema)).sort(byName)) {
      if (argument === undefined || droppedKeywords.has(keyword) || keyword.startsWith('x-')) continue
      const fault = this.#faultOf(keyword, argument)
      if (fault) this.#lose(place.path, keyword, fault)
      else kept[keyword] = this.#argument(keyword, argument, place)
    }
    return withoutDependents(kept)
  }

  #faultOf(keyword: string, argument: Json): string | undefined {
    const known = keywords.get(keyword)
    if (!known || keyword === '$dynamicRef') return notUnderstood
    // Paid for before it is looked at: what is too large may be met again and again through references.
    if (this.#left >= 0) this.#left -= sizeOf(keyword, argument)
    if (this.#left < 0) return tooLarge
    if (!known.shape.holds(argument)) return `must be ${known.shape.says}`
    return isProse(keyword) || !hides(keyword, argument) ? undefined : 'contains hidden characters'
  }

  #argument(keyword: string, argument: Json, place: Place): Json {
    if (typeof argument === 'string' && isProse(keyword)) return capped(plainDescription(argument), this.#limits.description)
    return changeParts(keyword, argument, (schema, at) => {
      const path = [...place.path, ...at]
      if (hidden(at.at(-1))) return void this.#lose(place.path, keyword, 'has a name with hidden characters')
      return keptFalse(keyword, schema) ?? this.#schema(schema, { ...place, path, depth: place.depth + 1 })
    })
  }
}

/** These close what is open in the schema beside them, so their `false` says it best. */
const closing = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'items'])
const keptFalse = (keyword: string, schema: Json): false | undefined =>
  schema === false && closing.has(keyword) ? false : undefined

/** Always in the same order, so that equal schemas give equal prompts. */
const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

const isProse = (keyword: string) => keyword === 'description' || keyword === 'title'
const hidden = (name: string | number | undefined) => typeof name === 'string' && cleanText(name) !== name

function hides(keyword: string, argument: Json): boolean {
  if (holdsSchemas(keyword) || keyword === 'required' || keyword === 'pattern') return false
  return strings(argument).some(hidden)
}

/** Every text in a value that was measured before. */
function strings(value: Json): string[] {
  const found: string[] = []
  JSON.stringify(value, (key, inner: Json) => {
    found.push(key)
    if (typeof inner === 'string') found.push(inner)
    return inner
  })
  return found
}

/** Schemas within pay for themselves. */
function sizeOf(keyword: string, argument: Json): number {
  if (!holdsSchemas(keyword)) return keyword.length + JSON.stringify(argument).length
  return keyword.length + (isObject(argument) ? Object.keys(argument).join().length : 0)
}

const wordsOf = (schema: JsonObject) =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => annotationKeywords.has(keyword)))

/** Keywords that mean nothing without the one they belong to, and could come to mean something when schemas are merged. */
const dependents = { if: ['then', 'else'], contains: ['minContains', 'maxContains'] }

function withoutDependents(schema: JsonObject): JsonObject {
  const idle = Object.entries(dependents).flatMap(([leader, others]) => (schema[leader] === undefined ? others : []))
  return withRequired(Object.fromEntries(Object.entries(schema).filter(([keyword]) => !idle.includes(keyword))))
}

function withRequired(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.required)) return schema
  const { required, ...rest } = schema
  const names = schema.required.filter((name) => typeof name === 'string' && !hidden(name)).toSorted()
  return names.length === 0 ? rest : { ...rest, required: names }
}

/** What can still be said about a schema that is not shown again. */
function typeOnly(schema: Json): JsonObject {
  return isObject(schema) && typeof schema.type === 'string' && keywords.get('type')?.shape.holds(schema.type)
    ? { type: schema.type }
    : {}
}
