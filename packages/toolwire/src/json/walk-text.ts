import { closingQuote } from './measure.js'

/** The keys and indices that lead to a word of a text; keys as they are written, in quotes. */
export type TextPath = readonly (string | number)[]
/** What begins at `start`, and where it ends. An object is told of at its opening brace. */
type VisitToken = (kind: 'object' | 'key' | 'string' | 'number', start: number, end: number, path: TextPath) => void

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Visits the words of a text that JSON.parse has accepted, in order, in one pass. */
export function walkText(text: string, visit: VisitToken): void {
  const path: (string | number)[] = []
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = closingQuote(text, at + 1) + 1
      if (isKey) path[path.length - 1] = text.slice(at, end)
      visit(isKey ? 'key' : 'string', at, end, path)
      isKey = false
      at = end - 1
    } else if (code === openBrace) {
      visit('object', at, at + 1, path)
      path.push('')
      isKey = true
    } else if (code === openBracket) path.push(0)
    else if (code === closeBrace || code === closeBracket) {
      path.pop()
      isKey = false
    } else if (code === comma) {
      const last = path[path.length - 1]
      if (typeof last === 'number') path[path.length - 1] = last + 1
      else isKey = true
    } else if (code === minus || (code >= zero && code <= nine)) {
      const end = numberEnd(text, at)
      visit('number', at, end, path)
      at = end - 1
    }
  }
}

const plus = 0x2b
const dot = 0x2e
const upperE = 0x45
const lowerE = 0x65

function numberEnd(text: string, start: number): number {
  let at = start
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isDigit = code >= zero && code <= nine
    if (!isDigit && code !== dot && code !== minus && code !== plus && code !== upperE && code !== lowerE) break
  }
  return at
}

/** The keys and indices themselves. */
export const segmentsOf = (path: TextPath): (string | number)[] =>
  path.map((segment) => (typeof segment === 'number' ? segment : (JSON.parse(segment) as string))) // a key is a string
