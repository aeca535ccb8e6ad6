import { encodeJson } from './encode.js'
import { isObject, type Json } from './value.js'

/** The one text of a JSON value (RFC 8785), so that equal values give equal text: members sorted by UTF-16 code units, no spaces. */
export function canonicalJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`
  // Strings and numbers are written as ECMAScript writes them, which is what the RFC asks for.
  if (!isObject(value)) return encodeJson(value)
  let members = ''
  for (const name of Object.keys(value).sort()) {
    const item = value[name]
    if (item !== undefined) members += `${members && ','}${JSON.stringify(name)}:${canonicalJson(item)}`
  }
  return `{${members}}`
}
