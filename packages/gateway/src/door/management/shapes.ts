// JSON Schemas of what the API answers, written as shortly as types.
import type { Json, JsonObject } from 'toolwire'

export const text = { type: 'string' } satisfies JsonObject
export const textOrNull = { type: ['string', 'null'] } satisfies JsonObject
export const whole = { type: 'integer' } satisfies JsonObject
export const amount = { type: 'number' } satisfies JsonObject
export const flag = { type: 'boolean' } satisfies JsonObject
export const anything = {} satisfies JsonObject
export const anyObject = { type: 'object' } satisfies JsonObject
/** Milliseconds since 1970. */
export const moment = { type: 'integer', description: 'Milliseconds since 1970' } satisfies JsonObject

export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items })
export const oneOf = (...values: readonly Json[]): JsonObject => ({ enum: [...values] })

/** An object; members whose names end in a question mark may be missing. There may be others beside them. */
export function shape(members: { readonly [name: string]: JsonObject }): JsonObject {
  const names = Object.keys(members)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name] ?? anything])),
    required: names.filter((name) => !name.endsWith('?')),
  }
}

/** A body that is taken: what is not named is refused. */
export const body = (members: { readonly [name: string]: JsonObject }): JsonObject => ({
  ...shape(members),
  additionalProperties: false,
})
