import { JsonError } from './error.js'
import { checkExactNumbers, type NumberExemption } from './exact-numbers.js'
import { duplicateIn, invalidByte, loneSurrogateIn } from './fault-places.js'
import { type JsonLimits, measureText, type TextMeasures } from './measure.js'
import { exemptMessageNumbers } from './message-numbers.js'
import { surveyJson } from './survey.js'
import { decodeUtf8 } from './utf8.js'
import type { Json } from './value.js'

const defaults: JsonLimits = { depth: 64, members: 10_000, elements: 1_000_000, containers: 100_000, values: 400_000 }

const byteOrderMark = 0xfeff
/** Without an exponent of three digits, a nonzero number has more zeros in a row than these before it is read as zero. */
const manyZeros = '0'.repeat(200)

/**
 * Parses untrusted JSON. Texts that two parsers could read differently are refused, with the place: duplicate keys, halves of surrogate
 * pairs, and numbers that JavaScript would write back differently. Texts that are too deep or too wide are refused as well.
 *
 * @example
 * ```ts
 * const value = parseJson('{ "city": "Bern" }')
 * ```
 */
export function parseJson(input: Uint8Array | string, limits?: Partial<JsonLimits>): Json {
  return read(input, limits, undefined)
}

/**
 * Parses a message like parseJson. Ids and progress tokens beyond 2^53 become bigints, because their sender compares every digit.
 * Numeric bounds in schemas may be rounded.
 */
export function parseMessageJson(input: Uint8Array | string, limits?: Partial<JsonLimits>): Json {
  return read(input, limits, exemptMessageNumbers)
}

/** Parses a message in steps, because a long one takes too long for one turn of the event loop. */
export function* parseMessageJsonSteps(input: Uint8Array | string): Generator<void, Json, void> {
  const text = textOf(input)
  yield
  const measures = measureText(text, defaults)
  yield
  const value = parse(text)
  yield
  return checked(value, text, measures, exemptMessageNumbers)
}

function read(input: Uint8Array | string, limits: Partial<JsonLimits> | undefined, held: NumberExemption | undefined): Json {
  const text = textOf(input)
  const measures = measureText(text, limits ? bounded(limits) : defaults)
  return checked(parse(text), text, measures, held)
}

function textOf(input: Uint8Array | string): string {
  const text = typeof input === 'string' ? input : decode(input)
  if (text.charCodeAt(0) === byteOrderMark) throw new JsonError('bom', 'begins with a byte order mark')
  return text
}

function checked(value: Json, text: string, { keys, hasSmallNumber }: TextMeasures, held: NumberExemption | undefined): Json {
  const found = surveyJson(value)
  // JSON.parse keeps only the last of several equal keys, so the value then has fewer keys than the text.
  if (found.keys !== keys) throw new JsonError('duplicate', 'duplicate key', { at: duplicateIn(text), value })
  if (found.hasLoneSurrogate) throw new JsonError('surrogate', 'half of a surrogate pair', { at: loneSurrogateIn(text), value })
  if (found.hasLargeNumber || found.hasNegativeZero || (found.hasZero && (hasSmallNumber || text.includes(manyZeros))))
    checkExactNumbers(text, value, held)
  return value
}

function bounded(given: Partial<JsonLimits>): JsonLimits {
  for (const [name, value] of Object.entries(given)) if (value !== undefined) checkBound(name, value)
  const {
    depth = defaults.depth,
    members = defaults.members,
    elements = defaults.elements,
    containers = defaults.containers,
    values = defaults.values,
  } = given
  return { depth, members, elements, containers, values }
}

/** Nothing is more than NaN, so it would be no limit. */
function checkBound(name: string, value: number): void {
  if (!Object.hasOwn(defaults, name))
    throw new TypeError(`Parsing JSON has no limit \`${name}\`. There are ${Object.keys(defaults).join(', ')}.`)
  if (!(typeof value === 'number' && value >= 0))
    throw new TypeError(`Parsing JSON cannot have \`${name}: ${String(value)}\`. Write a number, 0 or more.`)
}

function decode(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw new JsonError('utf8', `not valid UTF-8, from byte ${invalidByte(bytes)} on`)
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    // The engine's own message is dropped, because it quotes the text.
    throw new JsonError('syntax', 'not valid JSON')
  }
}
