import type { NumberExemption } from './exact-numbers.js'
import { isObject, type Json } from './value.js'
import { segmentsOf, type TextPath } from './walk-text.js'

type Segments = readonly (string | number)[]

// Ids and tokens are echoed to their sender, who recognises them by every digit.
const echoedAnywhere: ReadonlySet<string | number> = new Set([
  'progressToken',
  'requestId',
  'io.modelcontextprotocol/subscriptionId',
])
// Below these keys are values of tools and models, in which no number is an id.
const ownedByTools: ReadonlySet<string | number> = new Set(['arguments', 'structuredContent'])
const mostDigits = 256

// Generators write the range of an integer type as bounds, such as 18446744073709551615. Rounding such a bound does no harm: every
// number that is accepted here stays on the same side of it.
const bounds: ReadonlySet<string | number> = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
const schemaPath =
  /^(\/\d+)?\/(result\/tools\/\d+\/(in|out)putSchema|(params|result\/inputRequests\/[^/]+\/params)\/requestedSchema)\//
const dataInSchemas: ReadonlySet<string | number> = new Set(['const', 'enum', 'default', 'examples'])

/** Accepts ids and tokens, which become bigints, and the bounds of schemas, which may be rounded. */
export const exemptMessageNumbers: NumberExemption = (literal, path, whole) => {
  if (!mayBeHeld(path)) return false
  const segments = segmentsOf(path)
  if (isBound(segments)) return Number.isFinite(Number(literal))
  if (!isEchoed(segments) || literal.length > mostDigits || !/^-?\d+$/.test(literal)) return false
  // Json has no bigint, because only an id may be one; readers of ids expect it (see Id in ../jsonrpc/message).
  setAt(whole, segments, BigInt(literal) as unknown as Json)
  return true
}

const exemptKeys = new Set(['"id"', ...[...echoedAnywhere, ...bounds].map((key) => JSON.stringify(key))])

/** A quick test of the key alone, because there may be many numbers. */
function mayBeHeld(path: TextPath): boolean {
  const key = path.at(-1)
  return typeof key === 'string' && (exemptKeys.has(key) || key.includes('\\'))
}

function isEchoed(segments: Segments): boolean {
  const [first, ...inner] = segments
  const ofMessage = typeof first === 'number' ? inner : segments
  if (ofMessage.length === 1 && ofMessage[0] === 'id') return true
  return echoedAnywhere.has(segments.at(-1) ?? '') && !segments.some((segment) => ownedByTools.has(segment))
}

function isBound(segments: Segments): boolean {
  if (!bounds.has(segments.at(-1) ?? '') || segments.some((segment) => dataInSchemas.has(segment))) return false
  return schemaPath.test(`/${segments.join('/')}`)
}

function setAt(whole: Json, segments: Segments, item: Json): void {
  const holder = segments.slice(0, -1).reduce<Json | undefined>((value, segment) => memberOf(value, segment), whole)
  const key = segments.at(-1)
  if (isObject(holder) && typeof key === 'string') holder[key] = item
}

function memberOf(value: Json | undefined, segment: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(segment)]
  return isObject(value) ? value[segment] : undefined
}
