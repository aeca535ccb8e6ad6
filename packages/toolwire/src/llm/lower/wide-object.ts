// Makes the root of a schema one plain object that refuses nothing that the schema accepts. A schema for a model may be narrower, because
// it only guides, but a client may enforce its schema.
import { canonicalJson, isObject, type Json, type JsonObject } from '../../json.js'
import { mergeSchemas, objectsIn } from './merge-schemas.js'

/** For arguments, which are always objects. The schema must have no references. */
export function wideObject(schema: JsonObject): JsonObject {
  const { allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, enum: values, const: value, ...own } = schema
  const together = objectsIn(allOf).map(wideObject)
  const choices = [anyOf, oneOf].filter(Array.isArray).map(eitherOf)
  const { unevaluatedProperties, ...merged } = mergeSchemas([own, ...together, ...choices], ignoreClash)
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

/** Makes one object schema that accepts everything that any of the branches accepts. */
function eitherOf(branches: readonly Json[]): JsonObject {
  const all = objectsIn([...branches])
    .filter(takesObjects)
    .map(wideObject)
  const [first] = all
  if (!first || all.length === 1) return first ?? {}
  const required = namesIn(first.required).filter((name) => all.every((branch) => namesIn(branch.required).includes(name)))
  const names = new Set(all.flatMap(({ properties }) => Object.keys(properties as JsonObject))) // wideObject has made them
  const members = [...names].map((name) => [name, anyOfThem(all.flatMap((branch) => memberOf(branch, name)))])
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

function anyOfThem(schemas: readonly Json[]): Json {
  const different = [...new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values()]
  return different.length === 1 ? (different[0] ?? {}) : { anyOf: different }
}
