// Which members of our own objects go on the wire.
import type { JsonObject } from '../../json.js'

/** What is told to a peer holds nothing but JSON; the compiler cannot see it because some arrays in it are read-only. */
export const asJson = (told: object): JsonObject => told as JsonObject

/** Keeps the listed keys, so that a field newer than the peer never reaches it. */
export function pickMembers(value: object, keys: readonly string[]): JsonObject {
  const source = asJson(value)
  const kept: JsonObject = {}
  for (const key of keys) if (source[key] !== undefined) kept[key] = source[key]
  return kept
}
