import { type Json, JsonError, parseJson } from '../../../json.js'
import { RulesError } from '../rules-error.js'
import { jsonLines } from './json-lines.js'

/** A text that was read, and on which line the value of a JSON pointer stands. */
export type LocatedText = { readonly value: Json; readonly lineOf: (pointer: string) => number | undefined }

export function readJson(text: string, file: string | undefined): LocatedText {
  try {
    const value = parseJson(text)
    const lines = jsonLines(text)
    return { value, lineOf: (pointer) => lines.get(pointer) }
  } catch (thrown) {
    const line = lineOfFault(text, thrown)
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    throw new RulesError([{ at: '', message, ...(line !== undefined && { line }) }], { cause: thrown, file })
  }
}

function lineOfFault(text: string, thrown: unknown): number | undefined {
  if (thrown instanceof JsonError && thrown.at !== undefined) return jsonLines(text).get(thrown.at)
  try {
    JSON.parse(text)
    return undefined
  } catch (fault) {
    // Engines tell the place in their own words; where they tell none, the text has ended too soon.
    const { 1: position } = /position (\d+)/.exec(String(fault)) ?? []
    return text.slice(0, position === undefined ? text.trimEnd().length : Number(position)).split('\n').length
  }
}
