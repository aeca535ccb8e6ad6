import { encodeJson, type Json, type JsonObject } from '../json.js'
import { Refusal } from '../tools/refusal.js'

/** A frozen copy of the arguments, as they would be sent. */
export function frozenArguments(given: JsonObject): JsonObject {
  try {
    return frozenCopy(given)
  } catch (cause) {
    throw new Refusal('invalid-arguments', 'The arguments cannot be written as JSON', { cause })
  }
}

/** Freezes parsed JSON deeply, and returns it. */
export function frozenJson(parsed: JsonObject): JsonObject {
  finishAll(parsed, Object.freeze)
  return parsed
}

/** A deeply frozen copy of a value's JSON form. */
export const frozenCopy = (value: JsonObject): JsonObject => copyOf(value, Object.freeze)

/** A copy of a value's JSON form. */
export const jsonCopy = (value: JsonObject): JsonObject => copyOf(value, (copy) => copy)

type Finish = <T extends object>(copy: T) => T

function copyOf(value: JsonObject, finish: Finish): JsonObject {
  const copy = plainCopy(value, finish, 0)
  if (copy !== undefined) return copy as JsonObject // the copy of an object is an object
  // The result is plain, but may have a member called `__proto__`.
  const parsed: JsonObject = JSON.parse(encodeJson(value))
  finishAll(parsed, finish)
  return parsed
}

function finishAll(value: Json | undefined, finish: Finish): void {
  if (typeof value !== 'object' || value === null) return
  for (const item of Object.values(value)) finishAll(item, finish)
  finish(value)
}

/** Deeper values are written and parsed, which finds cycles. */
const deepest = 100

/** Copies plain JSON, which is several times faster than to write and parse it. Undefined for anything that JSON would write differently. */
function plainCopy(value: unknown, finish: Finish, depth: number): Json | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined
  if (typeof value !== 'object' || depth === deepest || 'toJSON' in value) return undefined
  return Array.isArray(value) ? copyOfArray(value, finish, depth + 1) : copyOfObject(value, finish, depth + 1)
}

function copyOfArray(value: readonly unknown[], finish: Finish, depth: number): Json | undefined {
  // An array that grows keeps room for more, which is several times the size of a short one.
  const copy = value.slice()
  for (const [at, item] of value.entries()) {
    const copied = plainCopy(item, finish, depth)
    if (copied === undefined) return undefined
    copy[at] = copied
  }
  return finish(copy as Json[]) // each item is a copy of JSON
}

function copyOfObject(value: object, finish: Finish, depth: number): Json | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const copy: JsonObject = {}
  for (const name of Object.keys(value)) {
    // Setting `__proto__` would set the prototype.
    const copied = name === '__proto__' ? undefined : plainCopy((value as { [name: string]: unknown })[name], finish, depth)
    if (copied === undefined) return undefined
    copy[name] = copied
  }
  return finish(copy)
}
