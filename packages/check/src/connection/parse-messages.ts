import type { JsonObject } from 'toolwire'
import { isObject, parsedJson } from '../json.js'

/** The messages in a text; undefined if it holds none. An array counts as its messages. */
export function parseMessages(text: string): JsonObject[] | undefined {
  const value = parsedJson(text)
  const all = Array.isArray(value) ? value : [value]
  return all.length > 0 && all.every((one) => isObject(one)) ? (all as JsonObject[]) : undefined // each one is an object
}
