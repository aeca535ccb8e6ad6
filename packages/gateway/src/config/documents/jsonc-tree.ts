import type { Json } from 'toolwire'
import { JsonError, parseJson, type types } from 'toolwire/relay'
import { documentLimits } from './document.js'
import { TextCursor } from './text-cursor.js'

type Place = { readonly start: number; readonly end: number }
export type JsoncNode = ObjectNode | ArrayNode | ScalarNode
export type ObjectNode = Place & { readonly kind: 'object'; readonly members: readonly Member[] }
type ArrayNode = Place & { readonly kind: 'array'; readonly items: readonly JsoncNode[] }
type ScalarNode = Place & { readonly kind: 'scalar'; readonly value: Json }
export type Member = { readonly key: string; readonly start: number; readonly value: JsoncNode }

const tooSoon = 'the text ends too soon; is the file only half-written?'
const syntaxError: { readonly [code in types.JsonErrorCode]?: string } = {
  number: 'a number cannot be held exactly; write it as a string',
  surrogate: 'this string contains half of a surrogate pair',
}

/** Reads JSON with comments and trailing commas, as editors write it. */
export function readTree(source: string): JsoncNode {
  const text = new TextCursor(source)
  skipGap(text)
  const node = readValue(text, 0)
  skipGap(text)
  if (!text.done) throw text.fault('there is more text after the end of the value')
  return node
}

const [space, slash] = [0x20, 0x2f]

function skipGap(text: TextCursor): void {
  for (;;) {
    const next = text.text.charCodeAt(text.at)
    if (next > space && next !== slash) return
    text.match(/[ \t\r\n]*/y)
    if (text.peek('//')) text.match(/[^\n]*/y)
    else if (text.peek('/*')) {
      const end = text.text.indexOf('*/', text.at + 2)
      if (end === -1) throw text.fault('the comment that begins here has no end')
      text.at = end + 2
    } else return
  }
}

function readValue(text: TextCursor, depth: number): JsoncNode {
  const start = text.at
  if (depth > documentLimits.depth) throw text.fault(`is nested deeper than ${documentLimits.depth}`)
  if (text.take('{')) return { kind: 'object', members: readMembers(text, depth + 1), start, end: text.at }
  if (text.take('[')) return { kind: 'array', items: readList(text, ']', () => readValue(text, depth + 1)), start, end: text.at }
  const mark = text.match(/[}\]:,]/y)
  if (mark !== undefined) throw text.fault(`a value is expected before ${mark}`)
  return { kind: 'scalar', value: readScalar(text), start, end: text.at }
}

function readMembers(text: TextCursor, depth: number): Member[] {
  const keys = new Set<string>()
  return readList(text, '}', () => {
    const start = text.at
    if (!text.peek('"')) throw expected(text, 'a key in double quotes')
    const key = String(readScalar(text))
    skipGap(text)
    if (!text.take(':')) throw expected(text, 'a colon')
    skipGap(text)
    const member = { key, start, value: readValue(text, depth) }
    if (keys.has(key)) throw text.fault(`the key ${JSON.stringify(key)} is given twice; remove one`, start)
    keys.add(key)
    return member
  })
}

/** Reads items up to and including the closing mark. */
function readList<T>(text: TextCursor, close: string, readItem: () => T): T[] {
  const items: T[] = []
  for (skipGap(text); !text.take(close); skipGap(text)) {
    items.push(readItem())
    skipGap(text)
    if (!text.take(',') && !text.peek(close)) throw expected(text, `a comma or ${close}`)
  }
  return items
}

function readScalar(text: TextCursor): Json {
  if (text.done) throw text.fault(tooSoon)
  const word = text.peek('"') ? readString(text) : text.match(/[^\s"{}[\]:,/]+/y)
  if (word === undefined) throw text.fault('unexpected text')
  try {
    return parseJson(word)
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    const other = word.startsWith('"') ? 'this string is not valid JSON' : 'is not a JSON value; put text in double quotes'
    throw text.fault(syntaxError[thrown.code] ?? other)
  }
}

/** Reads a string on one line, including its quotes. */
function readString(text: TextCursor): string {
  const start = text.at
  for (let at = start + 1; at < text.text.length && text.text[at] !== '\n'; at++) {
    if (text.text[at] === '"') {
      text.at = at + 1
      return text.text.slice(start, text.at)
    }
    if (text.text[at] === '\\') at++
  }
  throw text.fault('the string that begins here has no end; is the file only half-written?')
}

const expected = (text: TextCursor, what: string) => text.fault(text.done ? tooSoon : `${what} is expected here`)
