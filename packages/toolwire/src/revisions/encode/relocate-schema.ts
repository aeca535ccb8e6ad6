import { isObject, type Json } from '../../json.js'

/** Keywords that hold values, in which `$ref` is a name like any other. */
export const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** Rewrites a schema for `place` (a JSON pointer) in another document: references to its root are redirected there. */
export function relocateSchema(schema: Json, place: string): Json {
  if (Array.isArray(schema)) return schema.map((item) => relocateSchema(item, place))
  // References in a part with its own `$id` are relative to that part, so they stay valid.
  if (!isObject(schema) || typeof schema.$id === 'string') return schema
  const moved = Object.entries(schema).map(([key, value]) => [key, value === undefined ? undefined : memberAt(key, value, place)])
  return Object.fromEntries(moved)
}

function memberAt(key: string, value: Json, place: string): Json {
  if (key === '$ref' && typeof value === 'string') return /^#(\/|$)/.test(value) ? `#${place}${value.slice(1)}` : value
  return dataKeywords.has(key) ? value : relocateSchema(value, place)
}
