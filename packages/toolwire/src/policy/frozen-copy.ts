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

/** A deeply frozen copy of a value's JSON form. */
export function frozenCopy(value: JsonObject): JsonObject {
  const copy: JsonObject = JSON.parse(encodeJson(value))
  freeze(copy)
  return copy
}

function freeze(value: Json | undefined): void {
  if (typeof value !== 'object' || value === null) return
  for (const item of Object.values(value)) freeze(item)
  Object.freeze(value)
}
