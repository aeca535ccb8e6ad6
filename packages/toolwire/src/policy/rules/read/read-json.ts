import { walkText } from '../../../json/walk-text.js'
import { type Json, JsonError, parseJson } from '../../../json.js'
import { toPointer } from '../../../schema/pointer.js'
import { RulesError } from '../rules-error.js'

/** A parsed text, with the line of each value by JSON pointer. */
export type LocatedText = { readonly value: Json; readonly lineOf: (pointer: string) => number | undefined }

export function readJson(text: string, file: string | undefined): LocatedText {
  try {
    const value = parseJson(text)
    const lines = jsonLines(text)
    return { value, lineOf: (pointer) => lines.get(pointer) }
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    throw new RulesError([{ at: '', message, line: lineOfFault(text, thrown) }], { cause: thrown, file })
  }
}

function lineOfFault(text: string, thrown: unknown): number | undefined {
  if (thrown instanceof JsonError && thrown.at !== undefined) return jsonLines(text).get(thrown.at)
  try {
    JSON.parse(text)
    return undefined
  } catch (fault) {
    // Engines word the position differently; if there is none, the text has ended too soon.
    const { 1: position } = /position (\d+)/.exec(String(fault)) ?? []
    return text.slice(0, position === undefined ? text.trimEnd().length : Number(position)).split('\n').length
  }
}

/** Line numbers of values, from 1, by JSON pointer. A member is where its name is. Of equal names, the last one counts. */
function jsonLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  let line = 1
  let read = 0
  walkText(text, (kind, start, _end, path) => {
    line += text.slice(read, start).split('\n').length - 1
    read = start
    if (kind === 'key' || typeof path.at(-1) !== 'string') lines.set(toPointer(path), line)
  })
  return lines
}
