// Fills in required properties that have a default.
import { isObject, type Json, type JsonObject } from '../json.js'
import { localTarget } from './closed-schema.js'

/** Gives the value with the defaults of required properties that are absent: a copy where there are any, else the value itself. */
type WithDefaults = (value: unknown) => unknown

/** Schemas visited for one value, and how deep; what is left then stays absent, and the schema says so. */
const mostVisits = 10_000
const deepest = 200

export function withDefaults(schema: Json): WithDefaults {
  if (!hasRequiredDefault(schema)) return asItIs
  return (value) => new DefaultFiller(schema).filled(value, schema)
}

const asItIs: WithDefaults = (value) => value

/** Most schemas have none, and then nothing is done for a call. */
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

class DefaultFiller {
  readonly #root: Json
  #visits = 0
  #depth = 0

  constructor(root: Json) {
    this.#root = root
  }

  /** Which branch of a choice is meant cannot be told before it is checked, so nothing is filled in there. */
  filled(value: unknown, schema: Json | undefined): unknown {
    if (!isObject(schema) || typeof value !== 'object' || value === null) return value
    if (++this.#visits > mostVisits || this.#depth >= deepest) return value
    this.#depth++
    const filled = this.#within(value, schema)
    this.#depth--
    return filled
  }

  #within(value: object, schema: JsonObject): unknown {
    const { allOf, $ref } = schema
    let now = value
    if (typeof $ref === 'string' && isObject(this.#root)) now = this.filled(now, localTarget($ref, this.#root)) as object
    for (const part of Array.isArray(allOf) ? allOf : []) now = this.filled(now, part) as object // an object stays one
    return Array.isArray(now) ? this.#items(now, schema) : this.#members(now as JsonObject, schema)
  }

  #items(value: readonly unknown[], { items, prefixItems }: JsonObject): unknown {
    const first = Array.isArray(prefixItems) ? prefixItems : []
    const filled = value.map((item, at) => this.filled(item, at < first.length ? first[at] : items))
    return filled.some((item, at) => item !== value[at]) ? filled : value
  }

  #members(value: JsonObject, schema: JsonObject): JsonObject {
    const changes: [string, Json][] = defaultsOf(schema).flatMap(([name, given]) =>
      Object.hasOwn(value, name) && value[name] !== undefined ? [] : [[name, structuredClone(given)] as [string, Json]],
    )
    const { properties } = schema
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined
      const filled = this.filled(member, property)
      if (filled !== member) changes.push([name, filled as Json]) // what was filled in is JSON
    }
    // A member may be called __proto__.
    return changes.length === 0 ? value : (Object.fromEntries([...Object.entries(value), ...changes]) as JsonObject)
  }
}
