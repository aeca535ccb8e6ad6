import { type Document, jsonPointer } from './document.js'
import { TomlCursor } from './toml-cursor.js'
import type { TomlTable } from './toml-table.js'
import { readTomlKeys, readTomlValue } from './toml-values.js'

/** Where a [table] of a text begins; it goes up to where the next one begins. */
export type TomlHeader = { readonly keys: readonly string[]; readonly start: number }
type TomlDocument = Document & { readonly headers: readonly TomlHeader[] }

/** Reads TOML, as far as JSON can say the same. */
export function readToml(source: string): TomlDocument {
  const text = new TomlCursor(source)
  const reader = new Reader(text)
  for (text.gap(); !text.done; text.gap()) reader.statement()
  const { lines, headers, table } = reader
  return { value: table.value, headers, lineOf: (at) => (at === '' ? 1 : lines.get(at)) }
}

class Reader {
  readonly lines = new Map<string, number>()
  readonly headers: TomlHeader[] = []
  readonly table: TomlTable
  readonly #text: TomlCursor
  #place = ''
  #line = 1
  #counted = 0

  constructor(text: TomlCursor) {
    this.#text = text
    this.table = text.newTable()
  }

  statement(): void {
    const text = this.#text
    const start = text.at
    if (text.take('[[')) this.#list(start)
    else if (text.take('[')) this.#head(start)
    else this.#assignment(start)
    text.skip(/[ \t]*(?:#[^\0-\x08\n-\x1f\x7f]*)?/y)
    if (!text.done && text.match(/\r?\n/y) === undefined) throw text.fault('more than one thing stands on this line')
  }

  #head(start: number): void {
    const keys = this.#header(']')
    this.table.head(keys)
    this.headers.push({ keys, start })
    this.#place = this.#note('', keys, start)
  }

  #list(start: number): void {
    const keys = this.#header(']]')
    const index = this.table.headOfList(keys)
    this.headers.push({ keys, start })
    this.#place = `${this.#note('', keys, start)}/${index}`
  }

  #header(close: string): string[] {
    this.#text.skip(/[ \t]*/y)
    const keys = readTomlKeys(this.#text)
    if (!this.#text.take(close)) throw this.#text.fault(`${close} is expected here; is the file only half-written?`)
    return keys
  }

  #assignment(start: number): void {
    const text = this.#text
    const keys = readTomlKeys(text)
    if (!text.take('=')) throw text.fault('an = is expected here; is the file only half-written?')
    text.skip(/[ \t]*/y)
    this.table.set(keys, readTomlValue(text))
    this.#note(this.#place, keys, start)
  }

  #note(from: string, keys: readonly string[], start: number): string {
    const place = from + jsonPointer(...keys)
    this.lines.set(place, this.#lineAt(start))
    return place
  }

  /** Places come in the order of the text, so that each line is counted once. */
  #lineAt(offset: number): number {
    for (; this.#counted < offset; this.#counted++) if (this.#text.text[this.#counted] === '\n') this.#line++
    return this.#line
  }
}
