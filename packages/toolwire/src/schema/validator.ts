import { isObject, type JsonObject } from '../json.js'
import { checkSchema } from '../tools/checks/check-schema.js'
import type { StandardIssue, StandardResult, StandardSchema } from '../tools/standard-schema.js'
import { knownKeys, withoutAdditionalProperties } from './closed-schema.js'
import { type Compiled, compileTrusted } from './compile-schema.js'
import { withDefaults } from './defaults.js'
import type { Issue } from './issue.js'
import { isJsonSchema } from './json-schema.js'
import { unknownPropertyIssue } from './keywords/properties.js'
import { toPointer } from './pointer.js'
import { SchemaError } from './schema-error.js'

export type Direction = 'input' | 'output'

/** The value as its schema returns it, or the issues that refuse it. */
export type Validation<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: Issue[] }

/** Validates a value; synchronous if the schema is. */
export type Validator<T> = (value: unknown) => Validation<T> | Promise<Validation<T>>

const mostIssues = 10
const longestMessage = 500

/**
 * Returns the JSON Schema 2020-12 that a Standard Schema provides of itself.
 *
 * @example
 * ```ts
 * const written = jsonSchemaOf(jsonSchema({ type: 'string' }), 'input')
 * ```
 */
export function jsonSchemaOf(schema: StandardSchema, direction: Direction): JsonObject {
  checkSchema(schema, 'It')
  const { jsonSchema, vendor } = schema['~standard']
  if (!jsonSchema) throw new SchemaError('no-json-schema', adviceFor(vendor))
  try {
    // By the contract of Standard Schema, libraries return JSON here.
    return jsonSchema[direction]({ target: 'draft-2020-12' }) as JsonObject
  } catch (cause) {
    const why = `The ${vendor} schema cannot be converted to JSON Schema (${cause instanceof Error ? cause.message : String(cause)})`
    const advice = 'use types that JSON has, or write the schema with jsonSchema()'
    throw new SchemaError('no-json-schema', `${why}; ${advice}.`, { cause })
  }
}

function adviceFor(vendor: string): string {
  if (vendor === 'valibot')
    return 'A valibot schema provides no JSON Schema by itself; wrap it in toStandardJsonSchema() of @valibot/to-json-schema.'
  if (vendor === 'zod')
    return 'This version of zod provides no JSON Schema; use zod 4.2 or newer, or write the schema with jsonSchema().'
  return `The ${vendor} schema provides no JSON Schema; use a version of ${vendor} that does, or write the schema with jsonSchema().`
}

/**
 * Prepares the validation of a tool's input or output. Unnamed properties of an input are refused, unless its schema allows others.
 *
 * @example
 * ```ts
 * const check = validator(jsonSchema<string>({ type: 'string' }), 'input')
 * ```
 */
export function validator<Out>(schema: StandardSchema<unknown, Out>, direction: Direction): Validator<Out> {
  if (isJsonSchema(schema)) return direction === 'input' ? filling(schema.schema) : byCompiled(schema.compiled)
  const validate = byVendor(schema)
  const known = direction === 'input' ? knownKeys(withoutAdditionalProperties(jsonSchemaOf(schema, direction))) : undefined
  if (!known) return validate
  return (value) => {
    const issues = unknownKeys(value, known)
    return issues ? { issues } : validate(value)
  }
}

/** Fills in defaults first, so required properties with a default may be absent. */
function filling<T>(schema: JsonObject): Validator<T> {
  const check = byCompiled<T>(compileTrusted(withoutAdditionalProperties(schema)))
  const fill = withDefaults(schema)
  return (value) => check(fill(value))
}

function byCompiled<T>(compiled: Compiled): Validator<T> {
  return (value) => {
    const issues = compiled.check(value)
    // The cast trusts the author that a value which satisfies the schema is a T.
    return issues.length === 0 ? { value: value as T } : { issues }
  }
}

function byVendor<Out>(schema: StandardSchema<unknown, Out>): Validator<Out> {
  const { validate } = schema['~standard']
  return (value) => {
    const result = validate(value)
    return result instanceof Promise ? result.then(fromResult) : fromResult(result)
  }
}

const fromResult = <Out>(result: StandardResult<Out>): Validation<Out> =>
  result.issues ? { issues: result.issues.slice(0, mostIssues).map(fromIssue) } : { value: result.value }

function fromIssue({ message, path }: StandardIssue): Issue {
  const segments = (path ?? []).map((segment) => String(typeof segment === 'object' ? segment.key : segment))
  return { path: toPointer(segments), keyword: 'schema', message: message.slice(0, longestMessage) }
}

function unknownKeys(value: unknown, known: ReadonlySet<string>): Issue[] | undefined {
  if (!isObject(value)) return undefined
  let issues: Issue[] | undefined
  for (const name in value) {
    if (known.has(name) || value[name] === undefined) continue
    issues ??= []
    issues.push({ path: toPointer([name]), ...unknownPropertyIssue('additionalProperties', name, known) })
    if (issues.length === mostIssues) break
  }
  return issues
}
