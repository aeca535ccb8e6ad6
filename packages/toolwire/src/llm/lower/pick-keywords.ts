import type { JsonObject } from '../../json.js'

/** They tell about a value and demand nothing of it, and a model can do without. */
const weightless = new Set(['deprecated', 'readOnly', 'writeOnly'])

/** The named keywords of a schema, in the order of the names. */
export const pickKeywords = (schema: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(keywords.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])))

/** The keywords of a schema that are lost when only the known ones stay. */
export function lostKeywords(schema: JsonObject, known: readonly string[]): string[] {
  const kept = (keyword: string) => known.includes(keyword) || weightless.has(keyword)
  return Object.keys(schema).filter((keyword) => schema[keyword] !== undefined && !kept(keyword))
}
