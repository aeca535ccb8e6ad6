import type { Json, JsonObject } from '../../json.js'
import { toPointer } from '../../schema/pointer.js'
import { cleanText } from '../../text/clean-text.js'
import { capped } from '../../text/cut.js'

/** Something a tool's definition says that the model will not be told. */
export type Loss = {
  /** Where it stood in the input schema, as a JSON pointer. */
  readonly path: string
  readonly keyword: string
  readonly why: string
}

export type Path = readonly (string | number)[]
/** Notes a loss. */
export type Lose = (path: Path, keyword: string, why: string) => void

/** A hostile definition could fill the report; nobody reads on after so many. */
const mostLosses = 100

/** A list of losses and the function that adds to it. */
export function losses(): { noted: Loss[]; lose: Lose } {
  const noted: Loss[] = []
  const lose: Lose = (path, keyword, why) => {
    if (noted.length < mostLosses) noted.push({ path: toPointer(path), keyword: capped(cleanText(keyword), 64), why })
  }
  return { noted, lose }
}

/** A schema as a provider takes it, and the way back for the arguments that a model makes by it. */
export type Lowered = {
  readonly schema: JsonObject
  /** Whether the provider can hold the model to it. */
  readonly strict: boolean
  restore(args: JsonObject): JsonObject
}

/** Lowers a plain schema for one provider. */
export type Lower = (plain: JsonObject, lose: Lose) => Lowered

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

/** The format of a schema, where the provider knows it. */
export function formatOf({ format }: JsonObject, known: readonly Json[], at: { lose: Lose; path: Path }): JsonObject {
  if (format === undefined) return {}
  if (known.includes(format)) return { format }
  at.lose(at.path, 'format', `${JSON.stringify(format)} is not known to this provider`)
  return {}
}
