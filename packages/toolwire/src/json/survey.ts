import { JsonError } from './error.js'
import type { Json, JsonObject } from './value.js'

/** What walking a parsed value brings to light. */
export type Survey = { keys: number; hasLargeNumber: boolean }

/** Walks a value once. Its depth has been bounded before, so the recursion is too. */
export function survey(value: Json): Survey {
  const found: Survey = { keys: 0, hasLargeNumber: false }
  visit(value, found)
  return found
}

function visit(value: Json | undefined, found: Survey): void {
  if (typeof value === 'string') refuseLoneSurrogate(value)
  else if (typeof value === 'number') visitNumber(value, found)
  else if (Array.isArray(value)) for (const item of value) visit(item, found)
  else if (typeof value === 'object' && value !== null) visitObject(value, found)
}

function visitObject(value: JsonObject, found: Survey): void {
  const keys = Object.keys(value)
  found.keys += keys.length
  for (const key of keys) {
    refuseLoneSurrogate(key)
    visit(value[key], found)
  }
}

function visitNumber(value: number, found: Survey): void {
  if (value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER) return
  // 1e400 is good grammar, but it would be handed on as Infinity and written again as null.
  if (!Number.isFinite(value)) throw new JsonError('number', 'a number is too large')
  found.hasLargeNumber = true
}

function refuseLoneSurrogate(text: string): void {
  // Every runtime we support has this method; the type library of our language level does not know it yet.
  if (!(text as string & { isWellFormed(): boolean }).isWellFormed()) throw new JsonError('surrogate', 'half of a surrogate pair')
}
