import type { Json, JsonObject } from './types.js'

/** Names and values of an object: what has come as JSON has no undefined ones. */
export const entriesOf = (object: JsonObject): readonly (readonly [string, Json])[] =>
  Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== undefined)
