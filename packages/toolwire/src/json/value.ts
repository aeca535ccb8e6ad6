/** Any value JSON can write. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** An object, whose undefined members are left out when written. */
export type JsonObject = { [key: string]: Json | undefined }

/** As JSON Schema calls it, but that a whole number is a number. */
export function typeOfJson(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Neither null nor a list; of a value that is known to be JSON it says that it is an object of JSON. */
export function isObject(value: Json | undefined): value is JsonObject
export function isObject(value: unknown): value is Record<string, unknown>
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
