import type { Json, JsonObject } from '../../json.js'
import { toPointer } from '../../schema/pointer.js'
import { cleanText } from '../../text/clean-text.js'
import { capped, cut } from '../../text/cut.js'

/** A part of a tool's definition that the model is not told. */
export type Loss = {
  /** Its place in the input schema, as a JSON pointer. */
  readonly path: string
  readonly keyword: string
  readonly why: string
}

export type Path = readonly (string | number)[]
export type ReportLoss = (path: Path, keyword: string, why: string) => void

/** Limit on recorded losses, because a hostile definition could fill the report. */
const mostLosses = 100

export function losses(): { noted: Loss[]; reportLoss: ReportLoss } {
  const noted: Loss[] = []
  const reportLoss: ReportLoss = (path, keyword, why) => {
    if (noted.length < mostLosses) noted.push({ path: toPointer(path), keyword: capped(cleanText(cut(keyword, 128)), 64), why })
  }
  return { noted, reportLoss }
}

/** A schema for a provider, and the conversion of a model's arguments back to those of the tool. */
export type Lowered = {
  readonly schema: JsonObject
  /** True if the provider can hold the model to the schema. */
  readonly strict: boolean
  restore(args: JsonObject): JsonObject
}

export type Lower = (plain: JsonObject, reportLoss: ReportLoss) => Lowered

/** Annotations that constrain nothing, and that a model can do without. */
const weightless = new Set(['deprecated', 'readOnly', 'writeOnly'])

export const pickKeywords = (schema: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(keywords.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])))

export function lostKeywords(schema: JsonObject, known: readonly string[]): string[] {
  const kept = (keyword: string) => known.includes(keyword) || weightless.has(keyword)
  return Object.keys(schema).filter((keyword) => schema[keyword] !== undefined && !kept(keyword))
}

/** The format of a schema, where the provider knows it. */
export function formatOf({ format }: JsonObject, known: readonly Json[], at: { reportLoss: ReportLoss; path: Path }): JsonObject {
  if (format === undefined) return {}
  if (known.includes(format)) return { format }
  at.reportLoss(at.path, 'format', `${JSON.stringify(format)} is not known to this provider`)
  return {}
}
