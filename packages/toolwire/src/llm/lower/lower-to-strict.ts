// OpenAI's strict mode holds the model to a schema in which every member is named and required.
// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
import { isObject, type Json, type JsonObject } from '../../json.js'
import { type Site as BranchSite, branchesOf } from './branches.js'
import { charge, isSpent, newBudget, tooManyParts } from './budget.js'
import { lowerToObject } from './lower-to-object.js'
import { formatOf, type Lowered, lostKeywords, pickKeywords, type ReportLoss } from './lowered.js'
import { objectRoot } from './object-root.js'

/** Thrown for a schema that strict mode cannot express without making the tool useless. */
class NotStrict extends Error {}

type Site = BranchSite & { readonly depth: number; readonly added: WeakSet<JsonObject> }

const taken: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['minItems', 'maxItems'],
}
const formats: readonly Json[] = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const words = ['title', 'description', 'enum']
const handled = ['type', 'format', 'properties', 'required', 'additionalProperties', 'items']
/** Deepest nesting of objects and lists. */
const deepest = 10

/** Lowers to strict mode if the schema allows it, otherwise to a plain object schema. */
export function lowerToStrict(plain: JsonObject, reportLoss: ReportLoss): Lowered {
  const noted: Parameters<ReportLoss>[] = []
  const note: ReportLoss = (...loss) => void noted.push(loss)
  const added = new WeakSet<JsonObject>()
  try {
    const schema = lowerTyped(objectRoot(plain, note), {
      reportLoss: note,
      path: [],
      depth: 0,
      added,
      budget: newBudget(),
    })
    for (const loss of noted) reportLoss(...loss)
    return { schema, strict: true, restore: restorer(schema, added) }
  } catch (thrown) {
    if (!(thrown instanceof NotStrict)) throw thrown
    reportLoss([], 'strict', thrown.message)
    return lowerToObject(plain, reportLoss)
  }
}

function schemaOf(schema: Json | undefined, site: Site): JsonObject {
  if (!isObject(schema)) throw new NotStrict('some values are not described')
  const { types, nullable } = branchesOf(schema, site)
  const lowered = [...types.map((type) => lowerTyped(type, site)), ...(nullable ? [{ type: 'null' }] : [])]
  if (lowered.length === 0) throw new NotStrict('for some members no value is possible')
  return alternatives(lowered)
}

const alternatives = (schemas: readonly JsonObject[]): JsonObject =>
  schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: [...schemas] }

function lowerTyped(schema: JsonObject, site: Site): JsonObject {
  const type = typeof schema.type === 'string' ? schema.type : isObject(schema.properties) ? 'object' : undefined
  if (type === undefined) throw new NotStrict('some values may be of any type')
  site.budget.schemas -= 1
  if (isSpent(site.budget)) throw new NotStrict(tooManyParts)
  charge(site.budget, schema)
  if (site.depth > deepest) throw new NotStrict(`nests deeper than ${deepest} levels`)
  const kept = [...words, ...(taken[type] ?? [])]
  for (const keyword of lostKeywords(schema, [...kept, ...handled]))
    site.reportLoss(site.path, keyword, 'is not part of strict mode')
  return {
    type,
    ...pickKeywords(schema, kept),
    ...formatOf(schema, formats, site),
    ...(type === 'array' && { items: schemaOf(schema.items, childSite(site, 'items')) }),
    ...(type === 'object' && membersOf(schema, site)),
  }
}

const childSite = (site: Site, ...names: string[]): Site => ({ ...site, path: [...site.path, ...names], depth: site.depth + 1 })

function membersOf(schema: JsonObject, site: Site): JsonObject {
  const members = Object.entries(isObject(schema.properties) ? schema.properties : {})
  const open = schema.additionalProperties
  const mayBeMore = open !== undefined && open !== false
  const unnamed = members.length === 0 && open !== false && site.depth > 0
  if (mayBeMore || unnamed || schema.patternProperties !== undefined) throw new NotStrict('some members have no fixed names')
  const required = Array.isArray(schema.required) ? schema.required : []
  if (required.some((name) => !members.some(([member]) => member === name)))
    throw new NotStrict('a required member is not described')
  const lowered = members.map(([name, member]) => {
    const within = childSite(site, 'properties', name)
    const strict = schemaOf(member, within)
    return [name, required.includes(name) ? strict : optional(strict, within)] as const
  })
  return { properties: Object.fromEntries(lowered), required: lowered.map(([name]) => name), additionalProperties: false }
}

/** Lets an optional member be null, because strict mode requires all members. */
function optional(schema: JsonObject, { reportLoss, path, added }: Site): JsonObject {
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  const already = branches.some((branch) => isObject(branch) && branch.type === 'null')
  if (already) reportLoss(path, 'null', 'cannot be distinguished from an omitted member, and is sent as one')
  const nullable = already ? { ...schema } : { anyOf: [...branches, { type: 'null' }] }
  added.add(nullable)
  return nullable
}

/** Removes members that are null only because strict mode requires them. */
function restorer(schema: JsonObject, added: WeakSet<JsonObject>): (args: JsonObject) => JsonObject {
  const restored = (value: Json, by: Json | undefined): Json => {
    const branch = branchFor(value, by)
    if (Array.isArray(value)) return value.map((item) => restored(item, branch?.items))
    if (!isObject(value) || !isObject(branch?.properties)) return value
    return membersOf(value, branch.properties)
  }
  const membersOf = (value: JsonObject, schemas: JsonObject): JsonObject => {
    const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
      const by = Object.hasOwn(schemas, name) ? schemas[name] : undefined
      if (member === undefined || (member === null && isObject(by) && added.has(by))) return []
      return [[name, restored(member, by)]]
    })
    return Object.fromEntries(members)
  }
  return (args) => membersOf(args, isObject(schema.properties) ? schema.properties : {})
}

/** Finds the alternative that the value follows, by the names of its members, because strict mode requires all of them. */
function branchFor(value: Json, schema: Json | undefined): JsonObject | undefined {
  if (!isObject(schema)) return undefined
  if (!Array.isArray(schema.anyOf)) return schema
  return schema.anyOf.filter((each) => isObject(each)).find((branch) => fits(value, branch))
}

function fits(value: Json, branch: JsonObject): boolean {
  if (Array.isArray(value)) return branch.type === 'array'
  if (!isObject(value)) return false
  const { properties } = branch
  if (branch.type !== 'object' || !isObject(properties)) return false
  const names = Object.keys(properties)
  return (
    names.length === Object.keys(value).length &&
    names.every((name) => Object.hasOwn(value, name) && tells(value[name], properties[name]))
  )
}

/** True if the member is present, and one of its `enum` values if there are any. */
function tells(member: Json | undefined, schema: Json | undefined): boolean {
  if (member === undefined) return false
  return !isObject(schema) || !Array.isArray(schema.enum) || schema.enum.some((value) => value === member)
}
