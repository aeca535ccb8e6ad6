import { isObject, type Json, type JsonObject } from '../../json.js'
import { type TypeName, typeNames } from '../../schema/dialects/shapes.js'
import type { Budget } from './budget.js'
import type { Path, ReportLoss } from './lowered.js'
import { type Merging, mergeSchemas, objectsIn } from './merge-schemas.js'

/** Alternative schemas of one type each; `nullable` if the value may be null instead. */
export type Branches = { readonly types: readonly JsonObject[]; readonly nullable: boolean }

/** The place of a schema in the one that is lowered. */
export type Site = { readonly reportLoss: ReportLoss; readonly path: Path; readonly budget: Budget }

/** Limit on alternatives, more than a model can make use of. */
const mostBranches = 64

/** Splits a schema into alternatives of one type each, for providers that know `anyOf` and no other combinator. */
export function branchesOf(schema: JsonObject, site: Site): Branches {
  const { reportLoss, path } = site
  const { anyOf, ...own } = flattened(schema, site)
  const inner = objectsIn(anyOf).map((part) => mergeSchemas([part, own], mergingAt(site)))
  const split = Array.isArray(anyOf) ? inner.map((part) => branchesOf(part, site)) : [byType(own)]
  const types = split.flatMap((each) => each.types)
  if (types.length > mostBranches) reportLoss(path, 'anyOf', `has more than ${mostBranches} alternatives`)
  return { types: types.slice(0, mostBranches), nullable: split.some((each) => each.nullable) }
}

/** Merges `allOf`, and rewrites `oneOf` as `anyOf` and `const` as `enum`. */
function flattened({ allOf, oneOf, ...schema }: JsonObject, site: Site): JsonObject {
  const { reportLoss, path } = site
  if (oneOf !== undefined) reportLoss(path, 'oneOf', 'becomes anyOf')
  if (oneOf !== undefined && schema.anyOf !== undefined) reportLoss(path, 'anyOf', 'cannot stand beside oneOf')
  const { const: constant, ...rest } = schema
  const own = {
    ...rest,
    ...(oneOf !== undefined && { anyOf: oneOf }),
    ...(constant !== undefined && { enum: [constant] }),
  }
  if (!Array.isArray(allOf)) return own
  return mergeSchemas([own, ...objectsIn(allOf).map((part) => flattened(part, site))], mergingAt(site))
}

const mergingAt = ({ reportLoss, path, budget }: Site): Merging => ({
  clash: (keyword) => reportLoss(path, keyword, 'cannot be merged with the keywords beside it'),
  budget,
})

/** Makes one branch for each type of the value. If the schema names no types, they are those of its `enum` values. */
function byType(schema: JsonObject): Branches {
  const named = typesOf(schema)
  const values = Array.isArray(schema.enum) ? schema.enum : undefined
  const nullable = named.includes('null') && (values === undefined || values.includes(null))
  const types = named.filter((type) => type !== 'null')
  if (types.length === 0 && !nullable) return { types: [{ ...schema, type: undefined }], nullable }
  return { types: types.map((type) => ofType(schema, type)).filter((each) => each !== undefined), nullable }
}

function ofType(whole: JsonObject, type: TypeName): JsonObject | undefined {
  const schema = Object.fromEntries(Object.entries(whole).filter(([keyword]) => concerns(keyword, type)))
  if (!Array.isArray(schema.enum)) return { ...schema, type }
  const values = schema.enum.filter((value) => isOfType(value, type))
  return values.length === 0 ? undefined : { ...schema, type, enum: values }
}

/** The types that keywords apply to; all other keywords apply to any value. */
const subjects: readonly (readonly [keywords: string, ...types: readonly TypeName[]])[] = [
  ['minLength maxLength pattern contentEncoding contentMediaType contentSchema', 'string'],
  ['minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', 'number', 'integer'],
  ['items prefixItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems', 'array'],
  ['properties patternProperties additionalProperties unevaluatedProperties propertyNames', 'object'],
  ['required minProperties maxProperties dependentRequired dependentSchemas', 'object'],
]

const about = new Map(subjects.flatMap(([keywords, ...types]) => keywords.split(' ').map((keyword) => [keyword, types] as const)))

/** A keyword for other types has no effect on this one. */
const concerns = (keyword: string, type: TypeName): boolean => about.get(keyword)?.includes(type) ?? true

function typesOf(schema: JsonObject): readonly TypeName[] {
  const said = [schema.type].flat().filter((type): type is TypeName => typeNames.some((name) => name === type))
  if (said.length > 0) return said
  const values = Array.isArray(schema.enum) ? schema.enum : []
  return typeNames.filter((type) => type !== 'integer' && values.some((value) => isOfType(value, type)))
}

function isOfType(value: Json, type: TypeName): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}
