// JSON Schemas of what the API answers, written as shortly as types.
import type { Json, JsonObject } from 'toolwire'

export const textSchema = { type: 'string' } satisfies JsonObject
export const nullableTextSchema = { type: ['string', 'null'] } satisfies JsonObject
export const integerSchema = { type: 'integer' } satisfies JsonObject
export const nonNegativeSchema = { type: 'number' } satisfies JsonObject
export const booleanSchema = { type: 'boolean' } satisfies JsonObject
export const anySchema = {} satisfies JsonObject
export const anyObjectSchema = { type: 'object' } satisfies JsonObject
/** Milliseconds since 1970. */
export const timestampSchema = { type: 'integer', description: 'Milliseconds since 1970' } satisfies JsonObject

export const listSchema = (items: JsonObject): JsonObject => ({ type: 'array', items })
export const enumSchema = (...values: readonly Json[]): JsonObject => ({ enum: [...values] })

/** An object; members whose names end in a question mark may be missing. There may be others beside them. */
export function objectSchema(members: { readonly [name: string]: JsonObject }): JsonObject {
  const names = Object.keys(members)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name] ?? anySchema])),
    required: names.filter((name) => !name.endsWith('?')),
  }
}

/** A body that is taken: what is not named is refused. */
export const bodySchema = (members: { readonly [name: string]: JsonObject }): JsonObject => ({
  ...objectSchema(members),
  additionalProperties: false,
})
