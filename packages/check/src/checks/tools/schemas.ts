import type { Json, JsonObject } from 'toolwire'
import { compile, SchemaError } from 'toolwire/schema'
import type { Attempt } from '../../attempt.js'
import { type Check, checksOf } from '../../check.js'
import { isObject } from '../../json.js'
import { between, dialects, every, perRequest, since, structured } from '../../revisions.js'
import { enforcedUnless, notTried } from '../../verdict.js'
import { toolLabel } from './lists.js'

type Fault = (schema: Json) => string | undefined

const isObjectSchema: Fault = (schema) => (isObject(schema) && schema.type === 'object' ? undefined : 'has another type')

export const schemaChecks = checksOf({ needs: 'tools', level: 'MUST', page: 'server/tools' })({
  'schema-input-object': {
    revisions: every,
    sentence: 'An input schema is an object whose type is "object".',
    ...eachSchema('inputSchema', isObjectSchema),
  },
  'schema-input-compiles': {
    revisions: since(dialects),
    sentence: 'An input schema is a valid JSON Schema in the dialect that it names, or else 2020-12.',
    ...eachSchema('inputSchema', faultOf),
  },
  'schema-output-object': {
    revisions: between(structured, dialects),
    sentence: 'An output schema is an object whose type is "object".',
    ...eachSchema('outputSchema', isObjectSchema),
  },
  'schema-output-compiles': {
    revisions: since(dialects),
    sentence: 'An output schema is a valid JSON Schema in the dialect that it names, or else 2020-12.',
    ...eachSchema('outputSchema', faultOf),
  },
  'schema-no-arguments': {
    level: 'ADVICE',
    revisions: since(dialects),
    sentence: 'A tool without parameters accepts no arguments: its schema is closed.',
    ...eachSchema('inputSchema', (schema) =>
      isEmptyAndOpen(schema) ? 'accepts any argument, although it declares none' : undefined,
    ),
  },
  'schema-no-remote': {
    level: 'ADVICE',
    revisions: [perRequest],
    sentence: 'A schema does not refer to documents on the network.',
    ...eachSchema('inputSchema', (schema) => (refersAway(schema, 0) ? 'refers to the network' : undefined)),
  },
})

function eachSchema(of: 'inputSchema' | 'outputSchema', fault: Fault): Pick<Check, 'how' | 'run'> {
  const run = async (attempt: Attempt) => {
    const tools = (await attempt.tools()).filter((tool) => tool[of] !== undefined)
    if (tools.length === 0) return notTried(`No tool has an ${of}`)
    const faults = tools.flatMap((tool) => {
      const found = fault(tool[of] ?? null)
      return found === undefined ? [] : [`The ${of} of ${toolLabel(tool)} ${found}`]
    })
    return enforcedUnless(faults, `Tools checked: ${tools.length}`)
  }
  return { how: `Reads each ${of}`, run }
}

function faultOf(schema: Json): string | undefined {
  try {
    compile(schema)
    return undefined
  } catch (thrown) {
    if (thrown instanceof SchemaError && isUnsupportedSchema(thrown, schema)) return undefined
    return `does not compile: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  }
}

/**
 * A schema may name any dialect, refer to any URL, have any size, and use other regular expressions. Our failure to read such a schema is
 * no fault of it.
 */
const isUnsupportedSchema = ({ code }: SchemaError, schema: Json): boolean =>
  code === 'unresolved-ref' ? refersAway(schema, 0) : code !== 'invalid-schema'

const opening = ['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties', 'additionalProperties', 'unevaluatedProperties']
const isEmptyAndOpen = (schema: Json): boolean =>
  isObject(schema) &&
  (!isObject(schema.properties) || Object.keys(schema.properties).length === 0) &&
  opening.every((key) => schema[key] === undefined) &&
  schema.additionalProperties !== false

function refersAway(schema: Json, depth: number): boolean {
  if (typeof schema !== 'object' || schema === null || depth > 60) return false
  const { $ref } = schema as JsonObject // an array has no $ref
  if (typeof $ref === 'string' && /^https?:/.test($ref)) return true
  return Object.values(schema).some((one) => refersAway(one ?? null, depth + 1))
}
