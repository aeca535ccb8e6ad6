import { closingQuote } from './measure.js'

/** The keys and indices that lead to a token of a text. A key is decoded once, because many tokens may be below a long one. */
export type TextPath = readonly (string | number)[]
/** Called for each token, which ends before `end`. An object or a list is reported at its opening bracket. */
type VisitToken = (kind: TokenKind, start: number, end: number, path: TextPath) => void
type TokenKind = 'object' | 'list' | 'key' | 'string' | 'number' | 'word'

/** A number, or one of true, false and null. */
const literalText = /[-+.\da-zA-Z]+/y

/** Visits the tokens of a text that JSON.parse has accepted, in order, in one pass. Other characters are skipped. */
export function walkText(text: string, visit: VisitToken): void {
  const path: (string | number)[] = []
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === '"') {
      const end = closingQuote(text, at + 1) + 1
      if (isKey) path[path.length - 1] = keyIn(text.slice(at, end))
      visit(isKey ? 'key' : 'string', at, end, path)
      isKey = false
      at = end - 1
    } else if (character === '{') {
      visit('object', at, at + 1, path)
      path.push('')
      isKey = true
    } else if (character === '[') {
      visit('list', at, at + 1, path)
      path.push(0)
    } else if (character === '}' || character === ']') {
      path.pop()
      isKey = false
    } else if (character === ',') {
      const last = path[path.length - 1]
      if (typeof last === 'number') path[path.length - 1] = last + 1
      else isKey = true
    } else if (character > ' ' && character !== ':') {
      literalText.lastIndex = at
      if (!literalText.test(text)) continue
      const end = literalText.lastIndex
      visit(character >= 'a' ? 'word' : 'number', at, end, path)
      at = end - 1
    }
  }
}

/** Most keys have no escapes, and need no parser. */
const keyIn = (written: string): string => (written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)) // a key is a string
