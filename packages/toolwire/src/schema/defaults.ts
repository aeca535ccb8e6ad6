// Fills in required properties that have a default.
import { isObject, type Json, type JsonObject } from '../json.js'
import { localTarget } from './closed-schema.js'

/** Returns the value, or a copy with the defaults of its absent required properties. */
type WithDefaults = (value: unknown) => unknown

/** Limits for one value: 100 ms or so. Beyond them no defaults are filled in, and validation reports the missing properties. */
const mostWork = 200_000
const deepest = 200
/** Work for one object or array, in addition to that for its members. */
const eachVisit = 8

type DefaultsOptions = {
  /** The values are only looked at, so all of them may share one default. */
  readonly shared?: boolean
}

export function withDefaults(schema: Json, { shared = false }: DefaultsOptions = {}): WithDefaults {
  if (!hasRequiredDefault(schema)) return asItIs
  const known: KnownDefaults = new WeakMap()
  return (value) => filled(value, schema, { root: schema, known, shared, left: mostWork, depth: 0 })
}

const asItIs: WithDefaults = (value) => value

/** Most schemas have no such default; their calls skip this work. */
function hasRequiredDefault(root: Json): boolean {
  const open: (Json | undefined)[] = [root]
  for (let part = open.pop(); open.length > 0 || part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue
    if (isObject(part) && defaultsOf(part).length > 0) return true
    open.push(...Object.values(part))
  }
  return false
}

/** A default with the work of copying it. Only objects and arrays are copied. */
type Default = { readonly name: string; readonly value: Json; readonly work: number }
type KnownDefaults = WeakMap<JsonObject, readonly Default[]>

function defaultsOf({ required, properties }: JsonObject): readonly Default[] {
  if (!Array.isArray(required) || !isObject(properties)) return []
  return required.flatMap((name) => {
    const property = typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!isObject(property) || property.default === undefined) return []
    const { default: value } = property
    const work = typeof value === 'object' ? 1 + (JSON.stringify(value).length >> 1) : 0
    return [{ name: String(name), value, work }]
  })
}

function knownDefaults(schema: JsonObject, { known }: Filling): readonly Default[] {
  const defaults = known.get(schema) ?? defaultsOf(schema)
  known.set(schema, defaults)
  return defaults
}

/** The state of filling in one value. */
type Filling = { readonly root: Json; readonly known: KnownDefaults; readonly shared: boolean; left: number; depth: number }

/** Takes work from what is left. False if that is not enough. */
function spend(work: number, filling: Filling): boolean {
  filling.left -= work
  return filling.left >= 0
}

/** Skips anyOf, oneOf and if, because the matching branch is unknown before validation. */
function filled(value: unknown, schema: Json | undefined, filling: Filling): unknown {
  if (!isObject(schema) || typeof value !== 'object' || value === null) return value
  if (!spend(eachVisit, filling) || filling.depth >= deepest) return value
  filling.depth++
  const now = filledWithin(value, schema, filling)
  filling.depth--
  return now
}

function filledWithin(value: object, schema: JsonObject, filling: Filling): unknown {
  const { allOf, $ref } = schema
  const { root } = filling
  let now = value
  if (typeof $ref === 'string' && isObject(root)) now = filled(now, localTarget($ref, root), filling) as object
  for (const part of Array.isArray(allOf) ? allOf : []) now = filled(now, part, filling) as object // an object stays one
  return Array.isArray(now) ? filledItems(now, schema, filling) : filledMembers(now as JsonObject, schema, filling)
}

function filledItems(value: readonly unknown[], { items, prefixItems }: JsonObject, filling: Filling): unknown {
  const first = Array.isArray(prefixItems) ? prefixItems : []
  if ((first.length === 0 && !isObject(items)) || !spend(value.length >> 3, filling)) return value
  const all = value.map((item, at) => filled(item, at < first.length ? first[at] : items, filling))
  return all.some((item, at) => item !== value[at]) ? all : value
}

function filledMembers(value: JsonObject, schema: JsonObject, filling: Filling): JsonObject {
  const memberIn = (name: string) => (Object.hasOwn(value, name) ? value[name] : undefined)
  const defaults = knownDefaults(schema, filling)
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {})
  if (!spend(defaults.length + properties.length, filling)) return value
  const changes: [string, Json][] = []
  for (const { name, value: given, work } of defaults) {
    if (memberIn(name) !== undefined) continue
    if (!filling.shared && !spend(work, filling)) return value
    changes.push([name, filling.shared || work === 0 ? given : structuredClone(given)])
  }
  for (const [name, property] of properties) {
    const now = filled(memberIn(name), property, filling)
    if (now !== memberIn(name)) changes.push([name, now as Json]) // JSON with defaults from a schema stays JSON
  }
  if (changes.length === 0 || !spend(2 * Object.keys(value).length, filling)) return value
  // Object.fromEntries is safe for a member called __proto__.
  return Object.fromEntries([...Object.entries(value), ...changes]) as JsonObject
}
