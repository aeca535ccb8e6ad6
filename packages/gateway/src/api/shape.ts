// JSON Schemas of requests and responses, written as briefly as types.
import type { Json, JsonObject } from 'toolwire'

type Members = { readonly [name: string]: JsonObject }

/** An object that allows further members. A name with a question mark at the end is optional. */
function object(members: Members) {
  const names = Object.keys(members)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name] ?? {}])),
    required: names.filter((name) => !name.endsWith('?')),
  } satisfies JsonObject
}

export const shape = {
  text: { type: 'string' },
  nullableText: { type: ['string', 'null'] },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  any: {},
  anyObject: { type: 'object' },
  time: { type: 'integer', description: 'Milliseconds since 1970' },
  list: (items: JsonObject) => ({ type: 'array', items }) satisfies JsonObject,
  oneOf: (...values: readonly Json[]) => ({ enum: [...values] }) satisfies JsonObject,
  object,
  each: (schema: JsonObject, ...names: readonly string[]): Members => Object.fromEntries(names.map((name) => [name, schema])),
  /** A request body, which allows no further members. */
  body: (members: Members) => ({ ...object(members), additionalProperties: false }) satisfies JsonObject,
  describe: (schema: JsonObject, description: string) => ({ ...schema, description }) satisfies JsonObject,
}
