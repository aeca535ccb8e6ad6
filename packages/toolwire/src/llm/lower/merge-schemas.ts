import { canonicalJson, isObject, type Json, type JsonObject } from '../../json.js'
import { type Budget, charge, isSpent } from './budget.js'

/** Called for a keyword that could not be merged; the first schema's is kept. */
type Clash = (keyword: string) => void

export type Merging = { readonly clash: Clash; readonly budget: Budget }

const words = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'])

export const objectsIn = (schemas: Json | undefined): JsonObject[] =>
  Array.isArray(schemas) ? schemas.filter((each) => isObject(each)) : []

/**
 * Merges schemas that a value must all satisfy. If keywords cannot be merged, the result accepts more, never less. When the budget is
 * spent, the remaining schemas are left out.
 */
export const mergeSchemas = ([first = {}, ...others]: readonly JsonObject[], merging: Merging): JsonObject =>
  others.reduce((merged, schema) => (isSpent(merging.budget) ? merged : mergeTwo(merged, schema, merging)), first)

function mergeTwo(first: JsonObject, second: JsonObject, { clash: told, budget }: Merging): JsonObject {
  charge(budget, first, second)
  const merged: JsonObject = { ...first }
  let isWhole = true
  const clash = (keyword: string) => {
    isWhole = false
    told(keyword)
  }
  for (const [keyword, argument] of Object.entries(withoutMixedGroups(first, second, clash))) {
    if (argument === undefined) continue
    const existing = merged[keyword]
    merged[keyword] = existing === undefined ? argument : both(keyword, existing, argument, { clash, budget })
  }
  return isWhole ? merged : withoutUnevaluated(merged, first)
}

/** Removes the unevaluated keywords of the second schema after a clash, because they depend on keywords that are lost. */
function withoutUnevaluated(merged: JsonObject, first: JsonObject): JsonObject {
  const left = ['unevaluatedProperties', 'unevaluatedItems'].filter((keyword) => first[keyword] === undefined)
  return Object.fromEntries(Object.entries(merged).filter(([keyword]) => !left.includes(keyword)))
}

/** Keywords that mean something only together. */
const groups = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['prefixItems', 'items'],
] as const

/** Returns the second schema without the groups of keywords that the first one has too. */
function withoutMixedGroups(first: JsonObject, second: JsonObject, clash: Clash): JsonObject {
  const mixed = groups.filter(([leader]) => first[leader] !== undefined && second[leader] !== undefined)
  for (const [leader] of mixed) clash(leader)
  const left = new Set<string>(mixed.flat())
  return left.size === 0 ? second : Object.fromEntries(Object.entries(second).filter(([keyword]) => !left.has(keyword)))
}

function both(keyword: string, first: Json, second: Json, merging: Merging): Json {
  if (words.has(keyword)) return first
  const merge = mergers[keyword]
  // Members are compared one by one. All of them together grow with each part.
  if (merge !== mergeMembers && isSame(first, second, merging.budget)) return first
  const merged = merge?.(first, second, merging)
  if (merged === undefined) merging.clash(keyword)
  return merged ?? first
}

function isSame(first: Json, second: Json, budget: Budget): boolean {
  const [one, other] = [canonicalJson(first), canonicalJson(second)]
  budget.characters -= one.length + other.length
  return one === other
}

type Merger = (first: Json, second: Json, merging: Merging) => Json | undefined

const tighter = (choose: (a: number, b: number) => number, keywords: string): Readonly<Record<string, Merger>> =>
  Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, (a, b) => choose(Number(a), Number(b))]))

const mergers: Readonly<Record<string, Merger>> = {
  required: (a, b) => (Array.isArray(a) && Array.isArray(b) ? [...new Set([...a, ...b])].toSorted() : undefined),
  properties: mergeMembers,
  patternProperties: mergeMembers,
  allOf: (a, b) => (Array.isArray(a) && Array.isArray(b) ? [...a, ...b] : undefined),
  type: commonTypes,
  items: (a, b, merging) => (isObject(a) && isObject(b) ? mergeSchemas([a, b], merging) : undefined),
  additionalProperties: (a, b) => (a === false || b === false ? false : undefined),
  ...tighter(Math.max, 'minimum exclusiveMinimum minLength minItems minProperties'),
  ...tighter(Math.min, 'maximum exclusiveMaximum maxLength maxItems maxProperties'),
}

function mergeMembers(first: Json, second: Json, merging: Merging): Json | undefined {
  if (!isObject(first) || !isObject(second)) return undefined
  const members = new Map(Object.entries(first))
  for (const [name, schema] of Object.entries(second)) {
    const existing = members.get(name)
    if (!isObject(existing) || !isObject(schema)) members.set(name, schema)
    else if (!isSame(existing, schema, merging.budget)) members.set(name, mergeSchemas([existing, schema], merging))
  }
  return Object.fromEntries(members)
}

function commonTypes(first: Json, second: Json): Json | undefined {
  const [left, right] = [first, second].map((types) => (Array.isArray(types) ? types : [types]))
  // Every integer is a number too.
  const inBoth = (type: Json) => {
    if (right?.includes(type) || (type === 'integer' && right?.includes('number'))) return type
    return type === 'number' && right?.includes('integer') ? 'integer' : undefined
  }
  const common = left?.map(inBoth).filter((type) => type !== undefined) ?? []
  const types = [...new Set(common)]
  return types.length > 1 ? types : types[0]
}
