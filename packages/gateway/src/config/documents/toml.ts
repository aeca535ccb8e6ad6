import { type Document, jsonPointer } from './document.js'
import { TextCursor } from './text-cursor.js'
import { TomlTable } from './toml-table.js'
import { readTomlKeys, readTomlValue, skipTomlGap } from './toml-values.js'

/** A [table] header and its offset; the table extends to the next header. */
export type TomlHeader = { readonly keys: readonly string[]; readonly start: number }
type TomlDocument = Document & { readonly headers: readonly TomlHeader[] }

const halfWritten = 'is expected here; is the file only half-written?'

/** Reads TOML as JSON values; dates become strings. */
export function readToml(source: string): TomlDocument {
  const text = new TextCursor(source)
  const table = new TomlTable(text)
  const headers: TomlHeader[] = []
  const lines = new Map<string, number>()
  let place = ''
  let line = 1
  let counted = 0
  // Places come in the order of the text, so that each line is counted once.
  const note = (at: string, start: number) => {
    for (; counted < start; counted++) if (source[counted] === '\n') line++
    lines.set(at, line)
  }
  for (skipTomlGap(text); !text.done; skipTomlGap(text)) {
    const start = text.at
    const mark = text.match(/\[\[?/y)
    if (mark === undefined) {
      const keys = readAssignment(text, table)
      note(place + jsonPointer(...keys), start)
    } else {
      const keys = readHeader(text, mark === '[' ? ']' : ']]')
      headers.push({ keys, start })
      const at = jsonPointer(...keys)
      place = mark === '[' ? at : `${at}/${table.headOfList(keys)}`
      if (mark === '[') table.head(keys)
      note(at, start)
    }
    text.match(/[ \t]*(?:#[^\0-\x08\n-\x1f\x7f]*)?/y)
    if (!text.done && text.match(/\r?\n/y) === undefined)
      throw text.fault('this line has text after the end of the value; write one key or table per line')
  }
  return { value: table.value, headers, lineOf: (at) => (at === '' ? 1 : lines.get(at)) }
}

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
