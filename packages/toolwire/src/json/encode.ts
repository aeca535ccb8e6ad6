import { isObject, type Json, type JsonObject } from './value.js'

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

/** Writes canonical JSON in steps, if its members have to be sorted and are many. The value must not change between the steps. */
export function canonicalJsonSteps(value: Json | undefined): string | Generator<void, string, void> {
  if (isSorted(value)) return encodeJson(value)
  return isLarge(value) ? sortedSteps(value) : sortedJson(value)
}

function* sortedSteps(value: Json | undefined): Generator<void, string, void> {
  const isArray = Array.isArray(value)
  const items: readonly Json[] = isArray ? value : []
  const object = value as JsonObject // a large value is an array or an object
  const names = isArray ? undefined : Object.keys(object).sort()
  const count = names?.length ?? items.length
  const parts: string[] = []
  for (let from = 0; from < count; from += partsInStep) {
    const written: string[] = []
    for (let at = from; at < Math.min(count, from + partsInStep); at++) {
      const name = names?.[at]
      const item = name === undefined ? items[at] : object[name]
      if (item === undefined && name !== undefined) continue
      const text = isLarge(item) ? yield* sortedSteps(item) : canonicalJson(item)
      written.push(name === undefined ? text : `${JSON.stringify(name)}:${text}`)
    }
    // Joined to flat strings, because the garbage collector takes long over many parts of one string.
    if (written.length > 0) parts.push(written.join(','))
    yield
  }
  return isArray ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

const partsInStep = 64
const largeParts = 1_000

/** True if it takes a noticeable time to sort: strings are written quickly, however long. */
function isLarge(value: Json | undefined, left = { parts: largeParts }): boolean {
  if (--left.parts < 0) return true
  if (Array.isArray(value)) return value.some((item) => isLarge(item, left))
  return isObject(value) && Object.keys(value).some((name) => isLarge(value[name], left))
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
