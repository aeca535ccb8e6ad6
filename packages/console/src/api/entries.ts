import type { Json, JsonObject } from './types.js'

/** The members of an object: parsed JSON has no undefined values. */
export const entriesOf = (object: JsonObject): readonly (readonly [string, Json])[] =>
  Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== undefined)
