import { JsonError } from './error.js'
import { parseExact } from './exact.js'
import { type JsonLimits, scan } from './scan.js'
import { survey } from './survey.js'
import type { Json } from './value.js'

const defaults: JsonLimits = { depth: 64, members: 10_000, elements: 1_000_000, containers: 100_000, values: 400_000 }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const byteOrderMark = 0xfeff

/**
 * Reads JSON that comes from a stranger: what two readers could understand differently is refused, and so is what is
 * too deep or too wide. Ids and progress tokens beyond 2^53 come back as bigint.
 */
export function parseJson(input: Uint8Array | string, limits?: Partial<JsonLimits>): Json {
  const text = typeof input === 'string' ? input : decode(input)
  if (text.charCodeAt(0) === byteOrderMark) throw new JsonError('bom', 'begins with a byte order mark')
  const keys = scan(text, limits ? bounded(limits) : defaults)
  const value = parse(text)
  const found = survey(value)
  // JSON.parse keeps the last of several equal keys, however they are escaped: then the value has fewer than the text.
  if (found.keys !== keys) throw new JsonError('duplicate', 'duplicate key')
  return found.hasLargeNumber ? parseExact(text) : value
}

function bounded({
  depth = defaults.depth,
  members = defaults.members,
  elements = defaults.elements,
  containers = defaults.containers,
  values = defaults.values,
}: Partial<JsonLimits>): JsonLimits {
  return { depth, members, elements, containers, values }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new JsonError('utf8', 'not valid UTF-8')
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    // The engine's own message quotes the text.
    throw new JsonError('syntax', 'not valid JSON')
  }
}
