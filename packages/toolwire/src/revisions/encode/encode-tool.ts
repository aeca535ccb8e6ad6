import { isObject, type Json, type JsonObject } from '../../json.js'
import type { ListedTool, LongRunning } from '../../tools/tool.js'
import type { Revision } from '../revision.js'
import { pickMembers } from './pick-members.js'
import { relocateSchema } from './relocate-schema.js'

export function encodeTool(tool: ListedTool, to: Revision, taskSupport?: LongRunning): JsonObject {
  const entry = pickMembers(tool, to.fields.tool)
  if (to.titleInAnnotations && tool.title !== undefined) entry.annotations = { title: tool.title, ...tool.annotations }
  if (to.taskSupport === 'in-execution' && taskSupport) entry.execution = { taskSupport }
  if (to.schemaRoots === 'any') return entry
  entry.inputSchema = inDialect(objectView(tool.inputSchema), to)
  if (entry.outputSchema !== undefined) entry.outputSchema = inDialect(objectOutput(entry.outputSchema), to)
  return entry
}

/** Removes `$schema` for older clients, which fail on the name of a dialect that they do not know. */
function inDialect(schema: JsonObject, to: Revision): JsonObject {
  if (to.dialectNamed || schema.$schema === undefined) return schema
  const { $schema: _, ...rest } = schema
  return rest
}

/** Do older clients, which only know structured objects, need the structured value wrapped in an object? */
export const needsWrapping = (schema: Json | undefined): boolean => schema !== undefined && !isObjectSchema(schema)

const isObjectSchema = (schema: Json): boolean => isObject(schema) && schema.type === 'object'

function objectOutput(schema: Json): JsonObject {
  if (!isObject(schema)) return { type: 'object', properties: { result: schema }, required: ['result'] }
  if (isObjectSchema(schema)) return schema
  // `$schema` belongs at the root only.
  const { $schema, ...rest } = schema
  const result = relocateSchema(rest, '/properties/result')
  return { ...($schema !== undefined && { $schema }), type: 'object', properties: { result }, required: ['result'] }
}

const atRoot =
  'allOf anyOf oneOf not if then else $ref $dynamicRef dependentSchemas dependentRequired unevaluatedProperties'.split(' ')
const keptAtRoot = '$schema title description $defs definitions additionalProperties patternProperties'.split(' ')

/** Returns a looser schema with a plain object at its root. The server still validates with the original. */
function objectView(schema: JsonObject): JsonObject {
  if (!atRoot.some((keyword) => keyword in schema)) return schema
  const alternatives = [...listOf(schema.anyOf), ...listOf(schema.oneOf), ...listOf([schema.then, schema.else])]
  const together = listOf(schema.allOf).map(({ properties }) => properties)
  const properties: JsonObject = Object.assign(mergedProperties(alternatives), ...together, schema.properties)
  const required = new Set([
    ...stringsOf(schema.required),
    ...listOf(schema.allOf).flatMap((branch) => stringsOf(branch.required)),
    ...requiredInAll(schema.anyOf),
    ...requiredInAll(schema.oneOf),
  ])
  return { ...pickMembers(schema, keptAtRoot), type: 'object', properties, ...(required.size > 0 && { required: [...required] }) }
}

const listOf = (value: Json | undefined | readonly (Json | undefined)[]): JsonObject[] =>
  Array.isArray(value) ? value.filter((one) => isObject(one)) : []

const stringsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** The properties of all alternatives. A property with several different schemas may match any of them. */
function mergedProperties(alternatives: readonly JsonObject[]): JsonObject {
  const described = new Map<string, Map<string, Json>>()
  for (const { properties } of alternatives) {
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      described.set(name, (described.get(name) ?? new Map()).set(JSON.stringify(schema), schema))
    }
  }
  return Object.fromEntries([...described].map(([name, kinds]) => [name, eitherOf([...kinds.values()])]))
}

const eitherOf = ([only, ...others]: Json[]): Json => (others.length === 0 ? (only ?? {}) : { anyOf: [only ?? {}, ...others] })

function requiredInAll(alternatives: Json | undefined): string[] {
  const [first, ...others] = listOf(alternatives).map((branch) => stringsOf(branch.required))
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)))
}
