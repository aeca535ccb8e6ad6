// The first half of lowering, the same for every provider. A schema of any draft, even a broken or recursive one, becomes a schema of
// 2020-12 without references, of bounded size, and without hidden characters.
import { isObject, type Json, type JsonObject } from '../../json.js'
import { cleanText } from '../../text/clean-text.js'
import { capped } from '../../text/cut.js'
import { plainDescription } from '../../text/plain-description.js'
import type { Path, ReportLoss } from './lowered.js'
import { modernize } from './modernize.js'
import { type ReferenceResolver, referenceResolver } from './resolve-reference.js'
import { changeParts, holdsSchemas, keywordSize, keywords } from './schema-parts.js'

/** Limits on a schema that is shown to a model. */
export type SchemaLimits = {
  /** Characters in all. */
  readonly size: number
  readonly depth: number
  readonly description: number
}
export const defaultSchemaLimits: SchemaLimits = { size: 32_768, depth: 16, description: 1_024 }

type Run = {
  readonly reportLoss: ReportLoss
  readonly limits: SchemaLimits
  left: number
  /** True in draft-07, where only annotations count beside a `$ref`. */
  readonly alone: boolean
  /** The resolvers of inner schemas with an `$id`, which references may lead to again and again. */
  readonly resolvers: WeakMap<JsonObject, ReferenceResolver>
}

type Place = {
  readonly run: Run
  readonly path: Path
  readonly depth: number
  readonly resolve: ReferenceResolver
  /** The targets of the references that led here. */
  readonly trail: readonly Json[]
}

/** Keywords that name parts or address people who edit the schema, meaningless without references. */
const droppedKeywords = new Set('$schema $id $anchor $dynamicAnchor $vocabulary $comment $defs definitions $ref'.split(' '))
const annotations = 'title description default deprecated readOnly writeOnly examples'
export const annotationKeywords: ReadonlySet<string> = new Set(annotations.split(' '))

const perSchema = 8
const tooLarge = 'makes the schema too large'
export const notUnderstood = 'is not understood'

/** Limit on how often a recursive schema is repeated within itself. */
const mostRecursion = 2

export function plainSchema(schema: Json, reportLoss: ReportLoss, limits: SchemaLimits = defaultSchemaLimits): JsonObject {
  const alone = isObject(schema) && typeof schema.$schema === 'string' && schema.$schema.includes('draft-07')
  const resolve = isObject(schema) ? referenceResolver(schema) : () => undefined
  const run: Run = { reportLoss, limits, left: limits.size, alone, resolvers: new WeakMap() }
  return flattened(schema, { run, path: [], depth: 0, resolve, trail: [] })
}

function flattened(schema: Json, place: Place): JsonObject {
  const { run } = place
  if (schema === true) return {}
  if (schema === false) return { not: {} }
  if (!isObject(schema)) return without(place, 'schema', 'is not a schema')
  run.left -= perSchema + Object.keys(schema).length
  if (run.left < 0) return without(place, 'schema', tooLarge)
  if (place.depth > run.limits.depth) return without(place, 'schema', 'nests too deep')
  const inside = typeof schema.$id === 'string' && place.depth > 0 ? { ...place, resolve: resolverIn(schema, run) } : place
  return typeof schema.$ref === 'string' ? referring(schema.$ref, schema, inside) : membersOf(schema, inside)
}

function resolverIn(schema: JsonObject, run: Run): ReferenceResolver {
  const resolver = run.resolvers.get(schema) ?? referenceResolver(schema, () => --run.left >= 0)
  run.resolvers.set(schema, resolver)
  return resolver
}

function without({ run, path }: Place, keyword: string, why: string): JsonObject {
  run.reportLoss(path, keyword, why)
  return {}
}

function referring(reference: string, schema: JsonObject, place: Place): JsonObject {
  const { run } = place
  const beside = membersOf(run.alone ? wordsOf(schema) : schema, place)
  run.left -= reference.length
  if (run.left < 0) return { ...without(place, '$ref', tooLarge), ...beside }
  const target = place.resolve(reference) ?? null
  const met = place.trail.filter((earlier) => earlier === target).length
  if (target === null) return { ...without(place, '$ref', 'points to nothing in this schema'), ...beside }
  if (met >= mostRecursion)
    return { ...without(place, '$ref', 'refers to itself, so it is cut here'), ...typeOnly(target), ...beside }
  const meant = flattened(target, { ...place, depth: place.depth + 1, trail: [...place.trail, target] })
  if (Object.keys(beside).every((keyword) => annotationKeywords.has(keyword))) return { ...meant, ...beside }
  // Kept in the same schema, because unevaluatedProperties depends on the properties that the reference evaluates.
  return { ...beside, allOf: [meant, ...(Array.isArray(beside.allOf) ? beside.allOf : [])] }
}

function membersOf(schema: JsonObject, place: Place): JsonObject {
  const kept: JsonObject = {}
  for (const [keyword, argument] of Object.entries(modernize(schema)).sort(byName)) {
    if (argument === undefined || droppedKeywords.has(keyword) || keyword.startsWith('x-')) continue
    const fault = faultOf(keyword, argument, place.run)
    if (fault) place.run.reportLoss(place.path, keyword, fault)
    else kept[keyword] = argumentOf(keyword, argument, place)
  }
  return withoutDependents(kept)
}

function faultOf(keyword: string, argument: Json, run: Run): string | undefined {
  const known = keywords.get(keyword)
  if (!known || keyword === '$dynamicRef') return notUnderstood
  // The size is charged before the argument is checked, because references may lead to the same large one again and again.
  if (run.left >= 0) run.left -= keywordSize(keyword, argument)
  if (run.left < 0) return tooLarge
  if (!known.shape.holds(argument)) return `must be ${known.shape.says}`
  return isProse(keyword) || !hides(keyword, argument) ? undefined : 'contains hidden characters'
}

function argumentOf(keyword: string, argument: Json, place: Place): Json {
  const { reportLoss, limits } = place.run
  if (typeof argument === 'string' && isProse(keyword)) return capped(plainDescription(argument), limits.description)
  return changeParts(keyword, argument, (schema, at) => {
    if (hidden(at.at(-1))) return void reportLoss(place.path, keyword, 'has a name with hidden characters')
    if (schema === false && closing.has(keyword)) return false
    return flattened(schema, { ...place, path: [...place.path, ...at], depth: place.depth + 1 })
  })
}

/** Keywords that close a schema, so that their `false` is kept as it is. */
const closing = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'items'])
/** Always in the same order, so that equal schemas give equal prompts. */
const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

const isProse = (keyword: string) => keyword === 'description' || keyword === 'title'
const hidden = (name: string | number | undefined) => typeof name === 'string' && cleanText(name) !== name

function hides(keyword: string, argument: Json): boolean {
  if (holdsSchemas(keyword) || keyword === 'required' || keyword === 'pattern') return false
  return strings(argument).some(hidden)
}

/** Returns every string and key in a value whose size has been checked. */
function strings(value: Json): string[] {
  const found: string[] = []
  JSON.stringify(value, (key, inner: Json) => {
    found.push(key)
    if (typeof inner === 'string') found.push(inner)
    return inner
  })
  return found
}

const wordsOf = (schema: JsonObject) =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => annotationKeywords.has(keyword)))

/** Keywords without effect unless another one is present, which could gain one when schemas are merged. */
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

/** Keeps only the type of a schema that is not shown again. */
function typeOnly(schema: Json): JsonObject {
  const type = isObject(schema) && typeof schema.type === 'string' && schema.type
  return type && keywords.get('type')?.shape.holds(type) ? { type } : {}
}
