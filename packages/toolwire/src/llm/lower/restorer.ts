import { isObject, type Json, type JsonObject } from '../../json.js'

/** Leaves out the members that are null only because strict mode wanted them there. */
export function restorer(schema: JsonObject, added: WeakSet<JsonObject>): (args: JsonObject) => JsonObject {
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

/** The alternative that the value was made by: strict mode names all members of each, so the names tell. */
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
  return names.length === Object.keys(value).length && names.every((name) => tells(value[name], properties[name]))
}

/** Is the member there, and one of those that tell alternatives apart by their values? */
function tells(member: Json | undefined, schema: Json | undefined): boolean {
  if (member === undefined) return false
  return !isObject(schema) || !Array.isArray(schema.enum) || schema.enum.some((value) => value === member)
}
