import { isObject, type Json, JsonError, type JsonObject, parseJson } from '../json.js'

/** The arguments of a call, or what the model should know about why they cannot be used. */
export type ReadArguments =
  | { readonly args: JsonObject; readonly fault?: undefined }
  | { readonly args?: undefined; readonly fault: string }

/** Reads arguments as a model gave them: an object, or JSON text of one. Nothing at all is no arguments. */
export function readArguments(given: unknown): ReadArguments {
  if (given === undefined || given === null || given === '') return { args: {} }
  try {
    // What a provider's client has parsed is JSON already.
    const value = typeof given === 'string' ? parseJson(given) : (given as Json)
    return isObject(value) ? { args: value } : { fault: 'The arguments must be a JSON object.' }
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    return { fault: `The arguments are not valid JSON: ${thrown.message}. Write them again.` }
  }
}
