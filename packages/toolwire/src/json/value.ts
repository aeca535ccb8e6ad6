/** Any value JSON can write. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** A JSON object; undefined members are left out when it is written. */
export type JsonObject = { [key: string]: Json | undefined }

/** The type name of JSON Schema, except that an integer is called `number`. */
export function typeOfJson(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export const textIn = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** True for an object that is neither null nor an array; narrows Json to JsonObject. */
export function isObject(value: Json | undefined): value is JsonObject
export function isObject(value: unknown): value is Record<string, unknown>
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
