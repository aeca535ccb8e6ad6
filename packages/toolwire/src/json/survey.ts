import type { Json, JsonObject } from './value.js'

/** Properties of a parsed value. A number that is large or zero may differ from the written one. */
type JsonSurvey = { keys: number; hasLargeNumber: boolean; hasZero: boolean; hasNegativeZero: boolean; hasLoneSurrogate: boolean }

/** Walks a value once. The recursion is safe, because measureText has limited the depth. */
export function surveyJson(value: Json): JsonSurvey {
  const found: JsonSurvey = {
    keys: 0,
    hasLargeNumber: false,
    hasZero: false,
    hasNegativeZero: false,
    hasLoneSurrogate: false,
  }
  visit(value, found)
  return found
}

function visit(value: Json | undefined, found: JsonSurvey): void {
  if (typeof value === 'string') found.hasLoneSurrogate ||= !value.isWellFormed()
  else if (typeof value === 'number') visitNumber(value, found)
  else if (Array.isArray(value)) for (const item of value) visit(item, found)
  else if (typeof value === 'object' && value !== null) visitObject(value, found)
}

function visitObject(value: JsonObject, found: JsonSurvey): void {
  const keys = Object.keys(value)
  found.keys += keys.length
  for (const key of keys) {
    found.hasLoneSurrogate ||= !key.isWellFormed()
    visit(value[key], found)
  }
}

function visitNumber(value: number, found: JsonSurvey): void {
  if (value === 0) {
    found.hasZero = true
    found.hasNegativeZero ||= Object.is(value, -0)
  }
  // Includes Infinity, the value of 1e999, which would be written back as null.
  else if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) found.hasLargeNumber = true
}
