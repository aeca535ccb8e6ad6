// Functions of the library that the page uses too, so that both agree.
import type { Json, JsonObject } from '../api/types.js'

export { JsonError } from '../../../toolwire/src/json/error.js'
export { isExactNumber } from '../../../toolwire/src/json/exact-numbers.js'
export { parseJson } from '../../../toolwire/src/json/parse.js'
export { isObject } from '../../../toolwire/src/json/value.js'
export { fromPointer, toPointer } from '../../../toolwire/src/schema/pointer.js'
export type { Json, JsonObject }

/** An own member of an object, never an inherited one. */
export const ownMember = (object: JsonObject, name: string | number): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** The string, or an empty one for other values. */
export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The strings in an array. */
export const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
