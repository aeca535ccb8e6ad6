import { isObject, type Json, type JsonObject } from '../../json.js'
import { type Budget, isSpent, newBudget, tooManyParts } from './budget.js'
import type { ReportLoss } from './lowered.js'
import { mergeSchemas, objectsIn } from './merge-schemas.js'

/** Keywords that no provider takes at the top of a tool's schema. */
const refused = ['enum', 'const', 'not', 'if', 'then', 'else'] as const

/** Makes the root of a schema an object with named members, as every provider requires. */
export function objectRoot(schema: JsonObject, reportLoss: ReportLoss): JsonObject {
  const budget = newBudget()
  const root = rootOf(schema, reportLoss, budget)
  if (isSpent(budget)) reportLoss([], 'schema', tooManyParts)
  return root
}

function rootOf(schema: JsonObject, reportLoss: ReportLoss, budget: Budget): JsonObject {
  const clash = (keyword: string) => reportLoss([], keyword, 'cannot be merged with the rest of the schema')
  const { allOf, anyOf, oneOf, ...own } = schema
  for (const [keyword, alternatives] of Object.entries({ anyOf, oneOf })) {
    if (alternatives) reportLoss([], keyword, 'is not possible at the top; the members of all alternatives are offered')
  }
  const parts = [own, ...objectsIn(allOf).map((part) => rootOf(part, reportLoss, budget))]
  const choices = [anyOf, oneOf]
    .filter(Array.isArray)
    .map((branches) => eitherOf(objectsIn(branches).map((branch) => rootOf(branch, reportLoss, budget))))
  const merged = mergeSchemas([...parts, ...choices], { clash, budget })
  for (const keyword of refused) if (merged[keyword] !== undefined) reportLoss([], keyword, 'is not possible at the top')
  const rest = Object.entries(merged).filter(([keyword]) => !refused.some((each) => each === keyword))
  return { ...Object.fromEntries(rest), type: 'object', properties: isObject(merged.properties) ? merged.properties : {} }
}

/** Collects the members of all branches. A member is required if every branch requires it. */
function eitherOf(branches: readonly JsonObject[]): JsonObject {
  if (branches.length === 0) return {}
  const described = branches.flatMap(({ properties }) => Object.entries(isObject(properties) ? properties : {}))
  const members = new Map<string, Json[]>()
  for (const [name, schema = {}] of described) {
    const others = members.get(name)
    if (others) others.push(schema)
    else members.set(name, [schema])
  }
  const [first = [], ...others] = branches.map(({ required }) => (Array.isArray(required) ? required : []))
  const required = others
    .map((names) => new Set(names))
    .reduce((common, names) => common.filter((name) => names.has(name)), first)
  const properties = [...members].map(([name, schemas]) => [name, schemas.length === 1 ? schemas[0] : { anyOf: schemas }])
  const closed = branches.every((branch) => branch.additionalProperties === false) && { additionalProperties: false }
  return { properties: Object.fromEntries(properties), ...(required.length > 0 && { required }), ...closed }
}
