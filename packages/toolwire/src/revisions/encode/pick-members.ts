// Selects the members of our own objects that go on the wire.
import type { JsonObject } from '../../json.js'

/** Casts an object that holds only JSON. The compiler cannot infer this, because some of its arrays are read-only. */
export const asJson = (value: object): JsonObject => value as JsonObject

/** Keeps the listed keys, so that a field newer than the peer never reaches it. */
export function pickMembers(value: object, keys: readonly string[]): JsonObject {
  const source = asJson(value)
  const kept: JsonObject = {}
  for (const key of keys) if (source[key] !== undefined) kept[key] = source[key]
  return kept
}
