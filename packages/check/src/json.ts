import type { Json, JsonObject } from 'toolwire'

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses JSON; undefined if the text is none. */
export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the text is no JSON
  }
}

/** An own member, never an inherited one. */
export const ownMember = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** The objects in an array; none if the value is no array. */
export const objectsIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** JSON for people to read. A server may nest a value deeper than it can be written. */
export function jsonOf(value: Json | undefined): string {
  try {
    return JSON.stringify(value) ?? 'undefined'
  } catch {
    return 'a value that is nested too deeply'
  }
}

/** A text as it is, and any other value as JSON: `String` would call members that a server chose. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : jsonOf(value))
