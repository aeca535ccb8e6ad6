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

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+|\n/g

/** An open object or list, and the member that is being read. */
type Open = { readonly isObject: boolean; key: string | number; awaitsKey: boolean }

/** Line numbers of values, from 1, by JSON pointer. Of equal keys, the last one counts. */
function jsonLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map([['', 1]])
  const open: Open[] = []
  let line = 1
  const note = () => lines.set(toPointer(open.map(({ key }) => key)), line)
  for (const [word] of text.matchAll(token)) {
    const inner = open.at(-1)
    if (word === ':') continue
    if (word === '\n') line++
    else if (word === '}' || word === ']') open.pop()
    else if (word === ',') advance(inner)
    else if (inner?.awaitsKey) {
      inner.key = unescaped(word)
      inner.awaitsKey = false
      note()
    } else {
      if (!inner?.isObject) note()
      if (word === '{' || word === '[') open.push({ isObject: word === '{', key: 0, awaitsKey: word === '{' })
    }
  }
  return lines
}

function advance(open: Open | undefined): void {
  if (open?.isObject) open.awaitsKey = true
  else if (open) open.key = Number(open.key) + 1
}

function unescaped(word: string): string {
  try {
    return String(JSON.parse(word))
  } catch {
    return word // the text is not JSON, which is reported elsewhere
  }
}
