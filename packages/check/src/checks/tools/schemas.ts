// The schemas of tools.
import type { Json, JsonObject } from 'toolwire'
import { compile, SchemaError } from 'toolwire/schema'
import type { Check } from '../../check.js'
import type { Level } from '../../check-report.js'
import { isObject } from '../../json.js'
import { between, dialects, every, perRequest, since, structured } from '../../revisions.js'
import { enforcedUnless, notTried } from '../../verdict.js'
import { toolLabel } from './lists.js'

const page = 'server/tools'
type Fault = (schema: Json, tool: JsonObject) => string | undefined

export const schemaChecks: readonly Check[] = [
  schemaCheck('schema-input-object', 'MUST', {
    of: 'inputSchema',
    editions: every,
    sentence: 'An input schema is an object whose type is "object".',
    fault: (schema) => (isObject(schema) && schema.type === 'object' ? undefined : 'is something else'),
  }),
  schemaCheck('schema-input-compiles', 'MUST', {
    of: 'inputSchema',
    editions: since(dialects),
    sentence: 'An input schema is a valid JSON Schema in the dialect that it names, or else 2020-12.',
    fault: faultOf,
  }),
  schemaCheck('schema-output-object', 'MUST', {
    of: 'outputSchema',
    editions: between(structured, dialects),
    sentence: 'An output schema is an object whose type is "object".',
    fault: (schema) => (isObject(schema) && schema.type === 'object' ? undefined : 'is something else'),
  }),
  schemaCheck('schema-output-compiles', 'MUST', {
    of: 'outputSchema',
    editions: since(dialects),
    sentence: 'An output schema is a valid JSON Schema in the dialect that it names, or else 2020-12.',
    fault: faultOf,
  }),
  schemaCheck('schema-no-arguments', 'ADVICE', {
    of: 'inputSchema',
    editions: since(dialects),
    sentence: 'A tool without parameters takes none: its schema is closed.',
    fault: (schema) =>
      isEmpty(schema) && isObject(schema) && schema.additionalProperties !== false
        ? 'takes any argument, though it names none'
        : undefined,
  }),
  schemaCheck('schema-no-remote', 'ADVICE', {
    of: 'inputSchema',
    editions: [perRequest],
    sentence: 'A schema does not refer to documents on the network.',
    fault: (schema) => (refersAway(schema, 0) ? 'refers to the network' : undefined),
  }),
]

type SchemaInspection = {
  readonly of: 'inputSchema' | 'outputSchema'
  readonly editions: Check['revisions']
  readonly sentence: string
  readonly fault: Fault
}

/** A row that looks at each schema. */
function schemaCheck(id: string, level: Level, { of, editions: revisions, sentence, fault }: SchemaInspection): Check {
  return {
    id,
    level,
    revisions: revisions,
    page,
    sentence,
    how: `Reads each ${of}`,
    run: async (attempt) => {
      const tools = (await attempt.tools()).filter((tool) => tool[of] !== undefined)
      if (tools.length === 0) return notTried(`No tool has an ${of}`)
      const faults = tools.flatMap((tool) => {
        const found = fault(tool[of] ?? null, tool)
        return found === undefined ? [] : [`The ${of} of ${toolLabel(tool)} ${found}`]
      })
      return enforcedUnless(faults, `${tools.length} looked at`)
    },
  }
}

function faultOf(schema: Json): string | undefined {
  try {
    compile(schema)
    return undefined
  } catch (thrown) {
    if (thrown instanceof SchemaError && isOurs(thrown, schema)) return undefined
    return `does not compile: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  }
}

/** A schema may name any dialect, refer to anywhere, be of any size, and write patterns as its own language has them: that it is not read here is no fault of its own. */
const isOurs = ({ code }: SchemaError, schema: Json): boolean =>
  code === 'unresolved-ref' ? refersAway(schema, 0) : code !== 'invalid-schema'

const opening = ['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties', 'additionalProperties', 'unevaluatedProperties']
const isEmpty = (schema: Json): boolean =>
  isObject(schema) &&
  (isObject(schema.properties) ? Object.keys(schema.properties).length === 0 : true) &&
  opening.every((key) => schema[key] === undefined)

function refersAway(schema: Json, depth: number): boolean {
  if (typeof schema !== 'object' || schema === null || depth > 60) return false
  const { $ref } = schema as JsonObject // a list has none
  if (typeof $ref === 'string' && /^https?:/.test($ref)) return true
  return Object.values(schema).some((one) => refersAway(one ?? null, depth + 1))
}
