// JSON Schemas of what the API takes and answers, written as shortly as types.
import type { Json, JsonObject } from 'toolwire'

type Members = { readonly [name: string]: JsonObject }

/** An object; members whose names end in a question mark may be missing. There may be others beside them. */
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
  /** Several members alike. */
  each: (schema: JsonObject, ...names: readonly string[]): Members => Object.fromEntries(names.map((name) => [name, schema])),
  /** A body that is taken: what is not named is refused. */
  body: (members: Members) => ({ ...object(members), additionalProperties: false }) satisfies JsonObject,
  /** The same with a word about it. */
  about: (schema: JsonObject, description: string) => ({ ...schema, description }) satisfies JsonObject,
}
