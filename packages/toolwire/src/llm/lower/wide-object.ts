// Makes the root of a schema one plain object that refuses nothing that the schema accepts. A schema for a model may be narrower, because
// it only guides, but a client may enforce its schema.
import { canonicalJson, isObject, type Json, type JsonObject } from '../../json.js'
import { type Budget, isSpent } from './budget.js'
import { mergeSchemas, objectsIn } from './merge-schemas.js'

/** For arguments, which are always objects. The schema must have no references. The result is of no use if the budget is spent. */
export function wideObject(schema: JsonObject, budget: Budget): JsonObject {
  const { allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, enum: values, const: value, ...own } = schema
  const together = objectsIn(allOf).map((part) => wideObject(part, budget))
  const choices = [anyOf, oneOf].filter(Array.isArray).map((branches) => eitherOf(branches, budget))
  const { unevaluatedProperties, ...merged } = mergeSchemas([own, ...together, ...choices], { clash: ignoreClash, budget })
  const isWhole = [allOf, anyOf, oneOf, not, condition].every((argument) => argument === undefined)
  return {
    ...merged,
    type: 'object',
    properties: isObject(merged.properties) ? merged.properties : {},
    // `unevaluatedProperties` depends on keywords that may be gone.
    ...(isWhole && unevaluatedProperties !== undefined && { unevaluatedProperties }),
  }
}

/** A clash needs no report: the original schema still validates the call. */
const ignoreClash = () => undefined

/** In characters, for looking up a member in one branch. */
const perMember = 4

/** Makes one object schema that accepts everything that any of the branches accepts. */
function eitherOf(branches: readonly Json[], budget: Budget): JsonObject {
  const all = objectsIn([...branches])
    .filter(takesObjects)
    .map((branch) => wideObject(branch, budget))
  const [first] = all
  if (!first || all.length === 1) return first ?? {}
  const demanded = all.map((branch) => new Set(namesIn(branch.required)))
  const names = new Set(all.flatMap(({ properties }) => Object.keys(properties as JsonObject))) // wideObject has made them
  budget.characters -= (names.size + namesIn(first.required).length) * all.length * perMember
  if (isSpent(budget)) return {}
  const required = namesIn(first.required).filter((name) => demanded.every((all) => all.has(name)))
  const members = [...names].map((name) => [
    name,
    anyOfThem(
      all.flatMap((branch) => memberOf(branch, name)),
      budget,
    ),
  ])
  const closed = all.every(isClosed) && { additionalProperties: false }
  return { properties: Object.fromEntries(members), ...(required.length > 0 && { required }), ...closed }
}

const takesObjects = ({ type }: JsonObject): boolean => type === undefined || [type].flat().includes('object')
const namesIn = (required: Json | undefined): Json[] => (Array.isArray(required) ? required : [])
const isClosed = ({ additionalProperties, patternProperties }: JsonObject): boolean =>
  additionalProperties === false && patternProperties === undefined

/** Returns the branch's schema for one member; none if the branch forbids the member. */
function memberOf(branch: JsonObject, name: string): Json[] {
  const { properties, additionalProperties, patternProperties } = branch
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (own !== undefined) return [own]
  if (isClosed(branch)) return []
  return [isObject(additionalProperties) && patternProperties === undefined ? additionalProperties : {}]
}

function anyOfThem(schemas: readonly Json[], budget: Budget): Json {
  const byText = new Map<string, Json>()
  for (const schema of schemas) {
    if (isSpent(budget)) break
    const text = canonicalJson(schema)
    budget.characters -= text.length
    byText.set(text, schema)
  }
  const different = [...byText.values()]
  return different.length === 1 ? (different[0] ?? {}) : { anyOf: different }
}
