import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { ownMember } from '../../json/own-member.js'
import { objectIn } from '../json-members.js'
import { askField } from './ask-field.js'
import type { Prompts } from './prompts.js'

export function missingArguments(schema: JsonObject, given: JsonObject): string[] {
  const { required } = schema
  if (!Array.isArray(required)) return []
  return required.filter((name) => typeof name === 'string').filter((name) => ownMember(given, name) === undefined)
}

export async function askMissingArguments(schema: JsonObject, given: JsonObject, prompts: Prompts): Promise<JsonObject> {
  const asked = await askFields(missingArguments(schema, given), schema, prompts)
  return Object.fromEntries([...Object.entries(given), ...Object.entries(asked)])
}

/** Asks for members of an object; the result lacks those that the user left out. */
export async function askFields(names: readonly string[], schema: JsonObject, prompts: Prompts, prefilled: JsonObject = {}) {
  const properties = objectIn(schema, 'properties')
  const required = Array.isArray(schema.required) ? schema.required : []
  const entries: [string, Json][] = []
  for (const name of names) {
    const property = ownMember(properties, name)
    const field = { name, schema: isObject(property) ? property : {}, required: required.includes(name) }
    const value = await askField(field, prompts, ownMember(prefilled, name))
    if (value !== undefined) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}
