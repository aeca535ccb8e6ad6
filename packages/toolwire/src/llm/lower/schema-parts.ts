import { isObject, type Json, type JsonObject } from '../../json.js'
import { dialects } from '../../schema/dialects/dialects.js'
import * as shapes from '../../schema/dialects/shapes.js'
import type { Path } from './lowered.js'

export const keywords = dialects['2020-12'].keywords

type Change = (schema: Json, path: Path) => Json | undefined

/** Replaces each schema in a keyword's argument. A member that becomes undefined is left out; any other schema becomes `true`. */
export function changeParts(keyword: string, argument: Json, change: Change): Json {
  const shape = keywords.get(keyword)?.shape
  if (shape === shapes.schema) return change(argument, [keyword]) ?? true
  if (shape === shapes.schemas && Array.isArray(argument)) {
    return argument.map((schema, index) => change(schema, [keyword, index]) ?? true)
  }
  if (shape === shapes.schemaMap && isObject(argument)) return changeMembers(keyword, argument, change)
  return argument
}

function changeMembers(keyword: string, schemas: JsonObject, change: Change): JsonObject {
  const changed = Object.entries(schemas).map(([name, schema]) => {
    return [name, schema === undefined ? undefined : change(schema, [keyword, name])] as const
  })
  // From entries, since a member may be called __proto__.
  return Object.fromEntries(changed.filter(([, schema]) => schema !== undefined))
}

export const holdsSchemas = (keyword: string): boolean => keywords.get(keyword)?.shape.parts !== undefined

/** Characters of a keyword and its argument, without those of inner schemas. */
export function keywordSize(keyword: string, argument: Json): number {
  if (!holdsSchemas(keyword)) return keyword.length + JSON.stringify(argument).length
  return keyword.length + (isObject(argument) ? Object.keys(argument).join().length : 0)
}
