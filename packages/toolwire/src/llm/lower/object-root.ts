import { isObject, type Json, type JsonObject } from '../../json.js'
import type { ReportLoss } from './lowered.js'
import { mergeSchemas, objectsIn } from './merge-schemas.js'

/** Keywords that no provider takes at the top of a tool's schema. */
const refused = ['enum', 'const', 'not', 'if', 'then', 'else'] as const

/** Makes the root of a schema an object with named members, as every provider requires. */
export function objectRoot(schema: JsonObject, reportLoss: ReportLoss): JsonObject {
  const clash = (keyword: string) => reportLoss([], keyword, 'cannot be merged with the rest of the schema')
  const { allOf, anyOf, oneOf, ...own } = schema
  for (const [keyword, alternatives] of Object.entries({ anyOf, oneOf })) {
    if (alternatives) reportLoss([], keyword, 'is not possible at the top; the members of all alternatives are offered')
  }
  const parts = [own, ...objectsIn(allOf).map((part) => objectRoot(part, reportLoss))]
  const choices = [anyOf, oneOf].filter(Array.isArray).map((branches) => eitherOf(objectsIn(branches), reportLoss))
  const merged = mergeSchemas([...parts, ...choices], clash)
  for (const keyword of refused) if (merged[keyword] !== undefined) reportLoss([], keyword, 'is not possible at the top')
  const rest = Object.entries(merged).filter(([keyword]) => !refused.some((each) => each === keyword))
  return { ...Object.fromEntries(rest), type: 'object', properties: isObject(merged.properties) ? merged.properties : {} }
}

/** Collects the members of all branches. A member is required if every branch requires it. */
function eitherOf(branches: readonly JsonObject[], reportLoss: ReportLoss): JsonObject {
  const flat = branches.map((branch) => objectRoot(branch, reportLoss))
  if (flat.length === 0) return {}
  const described = flat.flatMap(({ properties }) => Object.entries(isObject(properties) ? properties : {}))
  const members = new Map<string, Json[]>()
  for (const [name, schema] of described) members.set(name, [...(members.get(name) ?? []), schema ?? {}])
  const required = flat
    .map((branch) => (Array.isArray(branch.required) ? branch.required : []))
    .reduce((common, names) => common.filter((name) => names.includes(name)))
  const properties = [...members].map(([name, schemas]) => [name, schemas.length === 1 ? schemas[0] : { anyOf: schemas }])
  const closed = flat.every((branch) => branch.additionalProperties === false) && { additionalProperties: false }
  return { properties: Object.fromEntries(properties), ...(required.length > 0 && { required }), ...closed }
}
