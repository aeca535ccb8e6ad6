import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../json.js'

/** The messages in a text; undefined when it holds none. An array stands for each of its messages. */
export function parseMessages(text: string): JsonObject[] | undefined {
  const value = parsed(text)
  const all = Array.isArray(value) ? value : [value]
  return all.length > 0 && all.every((one) => isObject(one)) ? (all as JsonObject[]) : undefined // each one is an object
}

export const isRequest = (message: JsonObject): boolean => 'id' in message && typeof message.method === 'string'

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // it is no JSON, and that is what the caller asks
  }
}
