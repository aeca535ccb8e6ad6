import type { JsonObject } from '../json.js'
import type { StandardSchema } from '../tools/standard-schema.js'
import { type Compiled, compileTrusted } from './compile-schema.js'
import { fromPointer } from './pointer.js'

/** A raw JSON Schema in the dress of a Standard Schema. */
export type JsonSchema<T = unknown> = StandardSchema<T, T> & { readonly schema: JsonObject; readonly compiled: Compiled }

/** A schema as written down, `as const` or not. */
type Written = null | boolean | number | string | readonly Written[] | WrittenObject
type WrittenObject = { readonly [key: string]: Written | undefined }

const vendor = 'toolwire'

/**
 * Makes a JSON Schema usable wherever a schema is asked for; `T` is what its author says it describes.
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
        // The schema is the author's word for T, and the value satisfies it.
        if (issues.length === 0) return { value: value as T }
        return { issues: issues.map(({ path, message }) => ({ message, path: fromPointer(path) ?? [] })) }
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

/** Is this one of ours? Then its compiled form can be used directly. */
export function isJsonSchema<In, Out>(schema: StandardSchema<In, Out>): schema is StandardSchema<In, Out> & JsonSchema<In & Out> {
  return schema['~standard'].vendor === vendor && 'compiled' in schema
}
