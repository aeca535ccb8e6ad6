// What the page takes over from the library as it is, so that both mean the same by it.
import type { Json, JsonObject } from '../api/types.js'

export { JsonError } from '../../../toolwire/src/json/error.js'
export { isExactNumber } from '../../../toolwire/src/json/exact-numbers.js'
export { parseJson } from '../../../toolwire/src/json/parse.js'
export { fromPointer, toPointer } from '../../../toolwire/src/schema/pointer.js'
export type { Json, JsonObject }

/** Neither null nor a list. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
