import type { Json } from 'toolwire'
import { JsonError, parseJson } from 'toolwire/relay'
import { documentLimits } from './document.js'
import type { TextCursor } from './text-cursor.js'
import { TomlTable } from './toml-table.js'

const escapes: { readonly [letter: string]: string } = {
  ...{ b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' },
  ...{ '"': '"', '\\': '\\' },
}
const bareKey = /[A-Za-z0-9_-]+/y
const scalar = /[A-Za-z0-9_+.:-]+(?: \d\d:[0-9:.Zz+-]+)?/y
const day = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
const minute = String.raw`([01]\d|2[0-3]):[0-5]\d`
const time = String.raw`${minute}(:([0-5]\d|60)(\.\d+)?)?`
const date = new RegExp(`^(${day}([Tt ]${time}([Zz]|[+-]${minute})?)?|${time})$`)
const decimal = /^[+-]?(0|[1-9](_?\d)*)(\.\d(_?\d)*)?([eE][+-]?\d(_?\d)*)?$/
const based = /^0(x[0-9A-Fa-f](_?[0-9A-Fa-f])*|o[0-7](_?[0-7])*|b[01](_?[01])*)$/

export const skipTomlGap = (text: TextCursor): void => void text.match(/(?:[ \t\n]|\r\n|#[^\0-\x08\n-\x1f\x7f]*)*/y)

/** Reads the keys of a dotted name. */
export function readTomlKeys(text: TextCursor): string[] {
  const keys = [readKey(text)]
  for (text.match(/[ \t]*/y); text.take('.'); text.match(/[ \t]*/y)) {
    text.match(/[ \t]*/y)
    keys.push(readKey(text))
    if (keys.length > documentLimits.depth) throw text.fault(`is nested deeper than ${documentLimits.depth}`)
  }
  return keys
}

function readKey(text: TextCursor): string {
  if (text.peek('"') || text.peek("'")) {
    if (text.peek('"""') || text.peek("'''")) throw text.fault('a key cannot extend over several lines')
    return readString(text)
  }
  return text.match(bareKey) ?? text.fail('a key is expected here; is the file only half-written?')
}

/** Reads a value. Dates come back as the text they are written in. */
export function readTomlValue(text: TextCursor, depth = 0): Json {
  if (depth > documentLimits.depth) throw text.fault(`is nested deeper than ${documentLimits.depth}`)
  if (text.peek('"') || text.peek("'")) return readString(text)
  if (text.take('[')) return readArray(text, depth)
  if (text.take('{')) return readInline(text, depth)
  return plain(text)
}

function plain(text: TextCursor): Json {
  const word = text.match(scalar) ?? text.fail('a value is expected here; is the file only half-written?')
  if (word === 'true' || word === 'false') return word === 'true'
  if (date.test(word)) return word
  if (!decimal.test(word) && !based.test(word))
    throw text.fault('is not supported (inf, nan) or not a TOML value; put text in quotes')
  const digits = word.replaceAll('_', '').replace('+', '')
  const value = Number(digits)
  if (based.test(word) ? !Number.isSafeInteger(value) : !isExact(digits))
    throw text.fault('a number cannot be held exactly; write it as a string')
  return value
}

/** Can a decimal number be held exactly? TOML and JSON write decimal numbers alike, so the JSON parser decides. */
function isExact(digits: string): boolean {
  try {
    parseJson(digits)
    return true
  } catch (thrown) {
    if (thrown instanceof JsonError) return false
    throw thrown
  }
}

function readArray(text: TextCursor, depth: number): Json[] {
  const items: Json[] = []
  readItems(text, ']', () => items.push(readTomlValue(text, depth + 1)))
  return items
}

/** Inline tables may contain line ends since TOML 1.1. */
function readInline(text: TextCursor, depth: number): Json {
  const table = new TomlTable(text)
  readItems(text, '}', () => {
    const keys = readTomlKeys(text)
    if (!text.take('=')) throw text.fault('an = is expected here')
    skipTomlGap(text)
    table.set(keys, readTomlValue(text, depth + keys.length))
  })
  return table.value
}

function readItems(text: TextCursor, close: string, readItem: () => void): void {
  for (skipTomlGap(text); !text.take(close); skipTomlGap(text)) {
    readItem()
    skipTomlGap(text)
    if (!text.take(',') && !text.peek(close)) throw text.fault(`a comma or ${close} is expected here`)
  }
}

function readString(text: TextCursor): string {
  for (const quote of ['"""', "'''", '"', "'"]) if (text.take(quote)) return readQuoted(text, quote)
  throw text.fault('a string is expected here')
}

function readQuoted(text: TextCursor, quote: string): string {
  const isLong = quote.length === 3
  if (isLong) text.match(/\r?\n?/y)
  const pieces: string[] = []
  while (!text.take(quote)) pieces.push(readPiece(text, quote))
  if (!isLong) return pieces.join('')
  // One or two further quotes after the closing three belong to the string.
  const more = text.match(new RegExp(`${quote[0]}{1,2}`, 'y')) ?? ''
  return (pieces.join('') + more).replaceAll('\r\n', '\n')
}

function readPiece(text: TextCursor, quote: string): string {
  if (quote[0] === '"' && text.take('\\')) return readEscape(text, quote)
  const piece = text.match(quote[0] === '"' ? /[^"\\\0-\x08\n-\x1f\x7f]+/y : /[^'\0-\x08\n-\x1f\x7f]+/y) ?? text.match(/["']/y)
  if (piece !== undefined && (quote.length === 3 || !quote.includes(piece))) return piece
  const lineEnd = quote.length === 3 ? text.match(/\r?\n/y) : undefined
  if (lineEnd !== undefined) return lineEnd
  if (text.match(/[\0-\x08\x0b-\x1f\x7f]/y))
    throw text.fault('a string contains a control character; write the character as an escape')
  throw text.fault('a string has no end; is the file only half-written?')
}

function readEscape(text: TextCursor, quote: string): string {
  // A backslash at the end of a line joins it to the next.
  if (quote.length === 3 && text.match(/[ \t]*\r?\n[ \t\r\n]*/y) !== undefined) return ''
  const code = text.match(/u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}/y)
  if (code !== undefined) return fromCode(text, Number.parseInt(code.slice(1), 16))
  const letter = text.match(/[\s\S]/y) ?? ''
  return escapes[letter] ?? text.fail('this escape is not known; write two backslashes for one backslash')
}

function fromCode(text: TextCursor, code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw text.fault('this escape is not a character')
  return String.fromCodePoint(code)
}
