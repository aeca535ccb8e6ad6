import { isObject, type Json } from './value.js'

/** Like JSON.stringify, but writes bigints as integers, and a value without a JSON form as null. */
export function encodeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown
    return encodeWithBigints(value)
  }
}

/** Plain JSON.stringify throws on a bigint, so each is written as a marked string and loses its quotes afterwards. */
function encodeWithBigints(value: unknown): string {
  // No string of the caller's can contain a mark made up after it was written.
  const mark = crypto.randomUUID()
  const marked = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? mark + item : item))
  return marked.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

/** Writes canonical JSON (RFC 8785), so that equal values give equal text: members sorted by UTF-16 code units, no spaces. */
export function canonicalJson(value: Json | undefined): string {
  return isSorted(value) ? encodeJson(value) : sortedJson(value)
}

/** Are all members sorted already, and does no value have a toJSON method? */
function isSorted(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.every(isSorted)
  if (!isObject(value)) return true
  if ('toJSON' in value) return false
  let before = ''
  return Object.keys(value).every((name) => {
    const follows = before <= name
    before = name
    return follows && isSorted(value[name])
  })
}

function sortedJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item)).join(',')}]`
  // The RFC asks for strings and numbers as ECMAScript writes them.
  if (!isObject(value)) return encodeJson(value)
  let members = ''
  for (const name of Object.keys(value).sort()) {
    const item = value[name]
    if (item !== undefined) members += `${members && ','}${JSON.stringify(name)}:${sortedJson(item)}`
  }
  return `{${members}}`
}
