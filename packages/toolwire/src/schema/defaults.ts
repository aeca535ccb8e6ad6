// Fills in required properties that have a default.
import { isObject, type Json, type JsonObject } from '../json.js'
import { localTarget } from './closed-schema.js'

/** Returns the value, or a copy with the defaults of its absent required properties. */
type WithDefaults = (value: unknown) => unknown

/** Limits for one value. Beyond them no defaults are filled in, and validation reports the missing properties. */
const mostVisits = 10_000
const deepest = 200

export function withDefaults(schema: Json): WithDefaults {
  if (!hasRequiredDefault(schema)) return asItIs
  return (value) => filled(value, schema, { root: schema, visits: 0, depth: 0 })
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

function defaultsOf({ required, properties }: JsonObject): readonly (readonly [name: string, value: Json])[] {
  if (!Array.isArray(required) || !isObject(properties)) return []
  return required.flatMap((name) => {
    const property = typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined
    return isObject(property) && property.default !== undefined ? [[String(name), property.default] as const] : []
  })
}

/** The state of filling in one value. */
type Filling = { readonly root: Json; visits: number; depth: number }

/** Skips anyOf, oneOf and if, because the matching branch is unknown before validation. */
function filled(value: unknown, schema: Json | undefined, filling: Filling): unknown {
  if (!isObject(schema) || typeof value !== 'object' || value === null) return value
  if (++filling.visits > mostVisits || filling.depth >= deepest) return value
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
  const all = value.map((item, at) => filled(item, at < first.length ? first[at] : items, filling))
  return all.some((item, at) => item !== value[at]) ? all : value
}

function filledMembers(value: JsonObject, schema: JsonObject, filling: Filling): JsonObject {
  const memberIn = (name: string) => (Object.hasOwn(value, name) ? value[name] : undefined)
  const absent = defaultsOf(schema).filter(([name]) => memberIn(name) === undefined)
  const changes = absent.map(([name, given]): [string, Json] => [name, structuredClone(given)])
  const { properties } = schema
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const now = filled(memberIn(name), property, filling)
    if (now !== memberIn(name)) changes.push([name, now as Json]) // JSON with defaults from a schema stays JSON
  }
  // Object.fromEntries is safe for a member called __proto__.
  return changes.length === 0 ? value : (Object.fromEntries([...Object.entries(value), ...changes]) as JsonObject)
}
