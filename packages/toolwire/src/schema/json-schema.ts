import type { JsonObject } from '../json.js'
import type { StandardSchema } from '../tools/standard-schema.js'
import { type Compiled, compileTrusted } from './compile-schema.js'
import { fromPointer } from './pointer.js'

/** A raw JSON Schema wrapped as a Standard Schema. */
export type JsonSchema<T = unknown> = StandardSchema<T, T> & { readonly schema: JsonObject; readonly compiled: Compiled }

/** A schema literal, `as const` or not. */
type Written = null | boolean | number | string | readonly Written[] | WrittenObject
type WrittenObject = { readonly [key: string]: Written | undefined }

const vendor = 'toolwire'

/**
 * Makes a JSON Schema usable wherever a schema is accepted; its author vouches that it describes a `T`.
 *
 * @example tool({ input: jsonSchema<{ query: string }>({ type: 'object', properties: { query: { type: 'string' } } }), … })
 */
export function jsonSchema<T = unknown>(written: WrittenObject): JsonSchema<T> {
  const schema = written as JsonObject // nothing here changes it
  const compiled = compileTrusted(schema)
  return {
    schema,
    compiled,
    '~standard': {
      version: 1,
      vendor,
      validate: (value) => {
        const issues = compiled.check(value)
        // The cast trusts the author that a value which satisfies the schema is a T.
        if (issues.length === 0) return { value: value as T }
        return { issues: issues.map(({ path, message }) => ({ message, path: fromPointer(path) ?? [] })) }
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

/** Was the schema made by jsonSchema()? Then its compiled form can be used directly. */
export function isJsonSchema<In, Out>(schema: StandardSchema<In, Out>): schema is StandardSchema<In, Out> & JsonSchema<In & Out> {
  return schema['~standard'].vendor === vendor && 'compiled' in schema
}
