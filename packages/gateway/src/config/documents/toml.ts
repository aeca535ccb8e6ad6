import { type Document, pointerSegments } from './document.js'
import { TextCursor } from './text-cursor.js'
import { TomlTable } from './toml-table.js'
import { readTomlKeys, readTomlValue, skipTomlGap } from './toml-values.js'

/** A [table] header and its offset; the table extends to the next header. */
export type TomlHeader = { readonly keys: readonly string[]; readonly start: number }
type TomlDocument = Document & { readonly headers: readonly TomlHeader[] }

/** The line of a place, and the places in it. One text for each place would repeat a long key in all of them. */
type TomlLines = { line?: number; inner?: Map<string, TomlLines> }

const halfWritten = 'is expected here; is the file only half-written?'

/** Reads TOML as JSON values; dates become strings. */
export function readToml(source: string): TomlDocument {
  const text = new TextCursor(source)
  const table = new TomlTable(text)
  const headers: TomlHeader[] = []
  const lines: TomlLines = { line: 1 }
  let place = lines
  let line = 1
  let counted = 0
  // Places come in the order of the text, so that each line is counted once.
  const note = (at: TomlLines, start: number) => {
    for (; counted < start; counted++) if (source[counted] === '\n') line++
    at.line = line
  }
  for (skipTomlGap(text); !text.done; skipTomlGap(text)) {
    const start = text.at
    const mark = text.match(/\[\[?/y)
    if (mark === undefined) {
      const keys = readAssignment(text, table)
      note(inside(place, keys), start)
    } else {
      const keys = readHeader(text, mark === '[' ? ']' : ']]')
      headers.push({ keys, start })
      const at = inside(lines, keys)
      place = mark === '[' ? at : inside(at, [String(table.headOfList(keys))])
      if (mark === '[') table.head(keys)
      note(at, start)
    }
    text.match(/[ \t]*(?:#[^\0-\x08\n-\x1f\x7f]*)?/y)
    if (!text.done && text.match(/\r?\n/y) === undefined)
      throw text.fault('this line has text after the end of the value; write one key or table per line')
  }
  return { value: table.value, headers, lineOf: (at) => lineIn(lines, at) }
}

function inside(place: TomlLines, keys: readonly string[]): TomlLines {
  return keys.reduce((outer, key) => {
    outer.inner ??= new Map()
    const inner = outer.inner.get(key) ?? {}
    outer.inner.set(key, inner)
    return inner
  }, place)
}

const lineIn = (lines: TomlLines, at: string): number | undefined =>
  pointerSegments(at).reduce<TomlLines | undefined>((outer, key) => outer?.inner?.get(key), lines)?.line

function readHeader(text: TextCursor, close: string): string[] {
  text.match(/[ \t]*/y)
  const keys = readTomlKeys(text)
  if (!text.take(close)) throw text.fault(`${close} ${halfWritten}`)
  return keys
}

function readAssignment(text: TextCursor, table: TomlTable): string[] {
  const keys = readTomlKeys(text)
  if (!text.take('=')) throw text.fault(`an = ${halfWritten}`)
  text.match(/[ \t]*/y)
  table.set(keys, readTomlValue(text))
  return keys
}
