import { JsonError } from './error.js'

/** Limits on the size of a text. */
export type JsonLimits = {
  /** Nesting of objects and arrays. */
  depth: number
  /** Members of one object. */
  members: number
  /** Elements of one array. */
  elements: number
  /** Objects and arrays in all: each costs far more memory than the two characters it takes to write. */
  containers: number
  /** Values in all, without the first of each object and array. Reading a million takes a quarter of a second. */
  values: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const minus = 0x2d
const colon = 0x3a
const zero = 0x30
const nine = 0x39
const openBracket = 0x5b
const closeBracket = 0x5d
const lowerE = 0x65
const lowercase = 0x20
const openBrace = 0x7b
const closeBrace = 0x7d

/** The number of keys in a text, and whether a number has a negative exponent of three digits or more. */
export type TextMeasures = { readonly keys: number; readonly hasSmallNumber: boolean }

/** Measures a text before anything is built from it. The grammar is not checked, because JSON.parse does that later. */
export function measureText(text: string, limits: JsonLimits): TextMeasures {
  const outer: number[] = []
  let keys = 0
  let left = 0
  let containers = 0
  let hasSmallNumber = false
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = closingQuote(text, at + 1)
        break
      case colon:
        keys++
        break
      case comma:
        if (++values > limits.values) throw new JsonError('members', `more than ${limits.values} values`)
        if (--left === 0) throw new JsonError('members', 'too many members in one object or array')
        break
      case minus:
        if ((text.charCodeAt(at - 1) | lowercase) === lowerE && isDigit(text.charCodeAt(at + 3))) hasSmallNumber = true
        break
      case openBrace:
      case openBracket:
        if (outer.length === limits.depth) throw new JsonError('depth', `nested deeper than ${limits.depth}`)
        if (++containers > limits.containers) throw new JsonError('members', `more than ${limits.containers} objects and arrays`)
        outer.push(left)
        left = text.charCodeAt(at) === openBrace ? limits.members : limits.elements
        break
      case closeBrace:
      case closeBracket:
        left = outer.pop() ?? 0
    }
  }
  return { keys, hasSmallNumber }
}

const isDigit = (code: number): boolean => code >= zero && code <= nine

/** Index of the closing quote of the string whose first character is at `from`. */
export function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  if (at === -1) throw new JsonError('syntax', 'not valid JSON')
  return at
}

/** An odd number of backslashes escapes the next character; an even number is pairs of escaped backslashes. */
function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text.charCodeAt(start - 1) === backslash) start--
  return (at - start) % 2 === 1
}
