import type { JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { objectIn, ownMember } from '../json-members.js'
import { askField } from './ask-field.js'
import type { Prompts } from './prompts.js'

/** The required arguments that are not there. */
export function missingArguments(schema: JsonObject, given: JsonObject): string[] {
  const { required } = schema
  if (!Array.isArray(required)) return []
  return required.filter((name) => typeof name === 'string').filter((name) => ownMember(given, name) === undefined)
}

/** Asks for the required arguments that are not there. */
export async function askMissingArguments(schema: JsonObject, given: JsonObject, prompts: Prompts): Promise<JsonObject> {
  const properties = objectIn(schema, 'properties')
  const entries = Object.entries(given)
  for (const name of missingArguments(schema, given)) {
    const property = ownMember(properties, name)
    const field = { name, schema: isObject(property) ? property : {}, required: true }
    const value = await askField(field, prompts)
    if (value !== undefined) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}
