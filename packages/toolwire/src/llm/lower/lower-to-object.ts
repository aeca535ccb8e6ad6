import { isObject, type Json, type JsonObject } from '../../json.js'
import type { Lowered, ReportLoss } from './lowered.js'
import { objectRoot } from './object-root.js'
import { changeParts } from './schema-parts.js'

/** Lowers for providers that read JSON Schema, and require only an object without combinators at the top. */
export function lowerToObject(plain: JsonObject, reportLoss: ReportLoss): Lowered {
  const schema = withItems(objectRoot(plain, reportLoss))
  // Arguments that fit this schema are the tool's own; there is nothing to restore.
  return { schema: isObject(schema) ? schema : {}, strict: false, restore: (args) => args }
}

/** Adds `items: {}` to lists whose items are not described, because some providers refuse these. */
export function withItems(schema: Json): Json {
  if (!isObject(schema)) return schema
  const inside = Object.entries(schema).map(([keyword, argument]) => {
    return [keyword, argument === undefined ? undefined : changeParts(keyword, argument, withItems)] as const
  })
  const open = schema.type === 'array' && schema.items === undefined && schema.prefixItems === undefined
  return { ...Object.fromEntries(inside), ...(open && { items: {} }) }
}
