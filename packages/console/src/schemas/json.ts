// What the page takes over from the library as it is, so that both mean the same by it.
import type { Json, JsonObject } from '../api/types.js'

export { JsonError } from '../../../toolwire/src/json/error.js'
export { isExactNumber } from '../../../toolwire/src/json/exact-numbers.js'
export { parseJson } from '../../../toolwire/src/json/parse.js'
export { isObject } from '../../../toolwire/src/json/value.js'
export { fromPointer, toPointer } from '../../../toolwire/src/schema/pointer.js'
export type { Json, JsonObject }

/** A member, but nothing that every object inherits. */
export const ownMember = (object: JsonObject, name: string | number): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** A text, and an empty one for everything else. */
export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The texts in a list. */
export const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
