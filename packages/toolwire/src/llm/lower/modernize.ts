import { isObject, type Json, type JsonObject } from '../../json.js'

/** Rewrites keywords of earlier drafts as those of 2020-12. */
export const modernize = (schema: JsonObject): JsonObject => withoutBooleanBounds(withoutDependencies(withoutItemLists(schema)))

function withoutItemLists({ additionalItems, ...schema }: JsonObject): JsonObject {
  if (!Array.isArray(schema.items)) return schema
  const { items, ...rest } = schema
  const first = items.length > 0 && { prefixItems: items }
  return { ...rest, ...first, ...(additionalItems !== undefined && { items: additionalItems }) }
}

function withoutDependencies({ dependencies, ...schema }: JsonObject): JsonObject {
  if (!isObject(dependencies)) return schema
  const members = Object.entries(dependencies)
  const names = members.filter(([, value]) => Array.isArray(value))
  const schemas = members.filter(([, value]) => !Array.isArray(value))
  const required = names.length > 0 && { dependentRequired: Object.fromEntries(names) }
  return { ...schema, ...required, ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }) }
}

/** Draft-04 had `minimum: 3, exclusiveMinimum: true`. */
const withoutBooleanBounds = (schema: JsonObject): JsonObject =>
  bounded(bounded(schema, 'minimum', 'exclusiveMinimum'), 'maximum', 'exclusiveMaximum')

function bounded(schema: JsonObject, bound: string, exclusive: string): JsonObject {
  if (typeof schema[exclusive] !== 'boolean') return schema
  const { [bound]: limit, [exclusive]: excludes, ...rest } = schema
  const kept: Json | undefined = limit
  return kept === undefined ? rest : { ...rest, [excludes ? exclusive : bound]: kept }
}
