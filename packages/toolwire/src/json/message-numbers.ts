import { isZero, type NumberExemption } from './exact-numbers.js'
import { isObject, type Json } from './value.js'
import type { TextPath } from './walk-text.js'

type Segment = TextPath[number]

/**
 * The places of ids and tokens that are echoed to their sender, who recognises them by every digit. All other parts of a message are
 * passed on and written by JSON.stringify, which throws for a bigint.
 */
const echoed: readonly TextPath[] = [
  ['id'],
  ['params', 'requestId'],
  ['params', 'progressToken'],
  ['params', '_meta', 'progressToken'],
  ['params', '_meta', 'io.modelcontextprotocol/subscriptionId'],
]
const mostDigits = 256

// Generators write the range of an integer type as bounds, such as 18446744073709551615. Rounding such a bound does no harm: every
// number that is accepted here stays on the same side of it.
const bounds: ReadonlySet<string | number> = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
const index = (segment: Segment): boolean => typeof segment === 'number'
const isSchemaOfTool = (segment: Segment): boolean => segment === 'inputSchema' || segment === 'outputSchema'
const anyKey = (): boolean => true
/** The places of schemas in a message. */
const schemaPlaces: readonly (readonly (string | ((segment: Segment) => boolean))[])[] = [
  ['result', 'tools', index, isSchemaOfTool],
  ['params', 'requestedSchema'],
  ['result', 'inputRequests', anyKey, 'params', 'requestedSchema'],
]
const dataInSchemas: ReadonlySet<string | number> = new Set(['const', 'enum', 'default', 'examples'])

/**
 * Accepts ids and tokens, which become bigints, and the bounds of schemas, which may be rounded. A zero may lose its sign in a response,
 * because an honest server may compute it. The reader of ids refuses it there.
 */
export const exemptMessageNumbers: NumberExemption = (literal, path, whole) => {
  if (isZero(literal)) return zeroMembers.has(path[typeof path[0] === 'number' ? 1 : 0] ?? '')
  // A quick test of the key alone, because there may be many numbers.
  if (!exemptKeys.has(path[path.length - 1] ?? '')) return false
  const ofMessage = typeof path[0] === 'number' ? path.slice(1) : path
  if (isBound(ofMessage)) return Number.isFinite(Number(literal))
  if (!isEchoed(ofMessage) || literal.length > mostDigits || !/^-?\d+$/.test(literal)) return false
  // Json has no bigint, because only an id may be one; readers of ids expect it (see Id in ../jsonrpc/message).
  setAt(whole, path, BigInt(literal) as unknown as Json)
  return true
}

const zeroMembers: ReadonlySet<Segment> = new Set(['result', 'error', 'id'])
const exemptKeys: ReadonlySet<Segment> = new Set([...echoed.flatMap((place) => place.slice(-1)), ...bounds])

const isEchoed = (path: TextPath): boolean =>
  echoed.some((place) => place.length === path.length && place.every((segment, at) => segment === path[at]))

function isBound(path: TextPath): boolean {
  if (!bounds.has(path[path.length - 1] ?? '') || path.some((segment) => dataInSchemas.has(segment))) return false
  return schemaPlaces.some((place) => isBelow(place, path))
}

const isBelow = (place: (typeof schemaPlaces)[number], path: TextPath): boolean =>
  path.length > place.length && place.every((step, at) => (typeof step === 'string' ? path[at] === step : step(path[at] ?? '')))

function setAt(whole: Json, segments: TextPath, item: Json): void {
  const holder = segments.slice(0, -1).reduce<Json | undefined>((value, segment) => memberOf(value, segment), whole)
  const key = segments.at(-1)
  if (isObject(holder) && typeof key === 'string') holder[key] = item
}

function memberOf(value: Json | undefined, segment: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(segment)]
  return isObject(value) ? value[segment] : undefined
}
