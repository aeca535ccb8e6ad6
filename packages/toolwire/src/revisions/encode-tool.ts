// One entry of tools/list, in the words of an edition.
import type { Json, JsonObject } from '../json.js'
import type { ListedTool } from '../tools/tool.js'
import { pick } from './encode-content.js'
import type { Revision } from './revision.js'

export function encodeTool(tool: ListedTool, to: Revision): JsonObject {
  const entry = pick(tool, to.describedBy.tool)
  if (to.titleInAnnotations && tool.title !== undefined) entry.annotations = { title: tool.title, ...tool.annotations }
  if (to.taskSupport === 'in-execution' && tool.taskSupport) entry.execution = { taskSupport: tool.taskSupport }
  if (to.schemaRoots === 'any') return entry
  entry.inputSchema = inDialect(objectView(tool.inputSchema), to)
  if (entry.outputSchema !== undefined) entry.outputSchema = inDialect(objectOutput(entry.outputSchema), to)
  return entry
}

/** Clients from before there was a default dialect choke on the name of one they do not know. */
function inDialect(schema: JsonObject, to: Revision): JsonObject {
  if (to.dialectNamed || schema.$schema === undefined) return schema
  const { $schema: _, ...rest } = schema
  return rest
}

/** Whether older clients, which know objects only, need a structured value put inside one. */
export const needsWrapping = (schema: Json | undefined): boolean => schema !== undefined && !isObjectSchema(schema)

const isObjectSchema = (schema: Json): schema is JsonObject => isObject(schema) && schema.type === 'object'

function objectOutput(schema: Json): JsonObject {
  return isObjectSchema(schema) ? schema : { type: 'object', properties: { result: schema }, required: ['result'] }
}

const atRoot = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  '$ref',
  '$dynamicRef',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
] as const

/** A looser schema with a plain object at its root. The server goes on checking with the real one. */
function objectView(schema: JsonObject): JsonObject {
  if (!atRoot.some((keyword) => keyword in schema)) return schema
  const branches = [
    ...listOf(schema.allOf),
    ...listOf(schema.anyOf),
    ...listOf(schema.oneOf),
    ...listOf([schema.then, schema.else]),
  ]
  const properties = Object.assign(
    {},
    ...[...branches].reverse().map((branch) => branch.properties),
    schema.properties,
  ) as JsonObject
  const required = new Set([
    ...stringsOf(schema.required),
    ...listOf(schema.allOf).flatMap((branch) => stringsOf(branch.required)),
    ...inEvery(schema.anyOf),
    ...inEvery(schema.oneOf),
  ])
  const kept = pick(schema, ['$schema', 'title', 'description', '$defs', 'definitions', 'additionalProperties'])
  // Properties that only a branch names would be refused by a root that allows no others.
  if (branches.length > 0) delete kept.additionalProperties
  return { ...kept, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) }
}

const listOf = (value: Json | undefined | readonly (Json | undefined)[]): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const stringsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** Names that every alternative requires. */
function inEvery(alternatives: Json | undefined): string[] {
  const [first, ...others] = listOf(alternatives).map((branch) => stringsOf(branch.required))
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)))
}
