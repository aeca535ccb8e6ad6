import { isObject, type Json } from '../../json.js'

/** These hold values, in which `$ref` is a name like any other. */
export const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** The schema as it must read at `place` (a JSON pointer) of another document: what refers to its own root goes by way of there. */
export function relocateSchema(schema: Json, place: string): Json {
  if (Array.isArray(schema)) return schema.map((item) => relocateSchema(item, place))
  // A part with an address of its own is what its references start from, wherever it stands.
  if (!isObject(schema) || typeof schema.$id === 'string') return schema
  const moved = Object.entries(schema).map(([key, value]) => [key, value === undefined ? undefined : memberAt(key, value, place)])
  return Object.fromEntries(moved)
}

function memberAt(key: string, value: Json, place: string): Json {
  if (key === '$ref' && typeof value === 'string') return /^#(\/|$)/.test(value) ? `#${place}${value.slice(1)}` : value
  return dataKeywords.has(key) ? value : relocateSchema(value, place)
}
