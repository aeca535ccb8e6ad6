// Parses regular expressions that `new RegExp` has already accepted.
import { type Assertion, type Node, PatternError, type Syntax } from './syntax.js'

const mostNested = 100

/** Parses a source with the flag `u` or without flags. Throws a PatternError for unsupported constructs, such as backreferences. */
export const parsePattern = (source: string, unicode: boolean): Syntax => ({
  root: new Parser(source, unicode).choice(),
  unicode,
})

const unicodeEscape =
  /\\(?:[pPu]\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|.)/sy
const plainEscape = /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[0-3][0-7]{0,2}|[4-7][0-7]?|.)/sy
const quantifier = /([*+?]|\{(\d+)(,(\d*))?\})\??/y
const groupStart = /\((\?(?:<?[=!]|:|<[^>]*>|[^:]*:))?/y
const named = /\(\?<[^=!]/

class Parser {
  readonly #source: string
  readonly #unicode: boolean
  #at = 0
  #depth = 0
  #groups: number | undefined

  constructor(source: string, unicode: boolean) {
    this.#source = source
    this.#unicode = unicode
  }

  choice(): Node {
    const parts = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at++
      parts.push(this.#sequence())
    }
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts }
  }

  #sequence(): Node {
    const parts: Node[] = []
    for (let next = this.#source[this.#at]; next !== undefined && next !== '|' && next !== ')'; next = this.#source[this.#at])
      parts.push(this.#repeated(this.#atom()))
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }
  }

  #repeated(part: Node): Node {
    const found = this.#take(quantifier)
    if (!found) return part
    const [, sign, least, range, most] = found
    if (sign === '?') return { kind: 'repeat', part, least: 0, most: 1 }
    if (sign === '*' || sign === '+') return { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: Infinity }
    return { kind: 'repeat', part, least: Number(least), most: range === undefined ? Number(least) : Number(most || Infinity) }
  }

  #atom(): Node {
    const next = this.#source[this.#at]
    if (next === '(') return this.#group()
    if (next === '[') return this.#class()
    if (next === '\\') return this.#escape()
    if (next === '^') return this.#assertion('start', 1)
    if (next === '$') return this.#assertion('end', 1)
    const characters = this.#itself()
    return { kind: 'characters', characters: next === '.' ? next : characters }
  }

  #assertion(assertion: Assertion, length: number): Node {
    this.#at += length
    return { kind: 'assert', assertion }
  }

  #group(): Node {
    const start = this.#at
    const [, how = ''] = this.#take(groupStart)!
    if (++this.#depth > mostNested) throw new PatternError(`more than ${mostNested} groups within each other`, start)
    if (/^\?[^<:=!]/.test(how)) throw new PatternError('a group with flags of its own', start)
    const part = this.choice()
    this.#at++
    this.#depth--
    if (!/^\?<?[=!]$/.test(how)) return part
    return { kind: 'look', part, behind: how[1] === '<', negative: how.endsWith('!') }
  }

  #class(): Node {
    const start = this.#at++
    while (this.#source[this.#at] !== ']') this.#at += this.#source[this.#at] === '\\' ? 2 : 1
    this.#at++
    return { kind: 'characters', characters: this.#source.slice(start, this.#at) }
  }

  /** Finds only the end of an escape; RegExp decides which characters it matches. */
  #escape(): Node {
    const start = this.#at
    const letter = this.#source[start + 1]!
    if (letter === 'b' || letter === 'B') return this.#assertion(letter === 'b' ? 'boundary' : 'no-boundary', 2)
    if (this.#isReference(letter)) throw new PatternError('a backreference', start)
    if (letter === 'c' && !/[a-zA-Z]/.test(this.#source[start + 2] ?? '')) {
      this.#at++
      return { kind: 'characters', characters: 0x5c } // the backslash itself; the c comes next
    }
    const [characters] = this.#take(this.#unicode ? unicodeEscape : plainEscape)!
    return { kind: 'characters', characters }
  }

  #isReference(letter: string): boolean {
    if (letter === 'k') return this.#unicode || named.test(this.#source)
    if (letter < '1' || letter > '9') return false
    return this.#unicode || Number.parseInt(this.#source.slice(this.#at + 1), 10) <= this.#capturing()
  }

  /** Reads the next character literally. */
  #itself(): number {
    const character = this.#unicode ? this.#source.codePointAt(this.#at)! : this.#source.charCodeAt(this.#at)
    this.#at += character > 0xffff ? 2 : 1
    return character
  }

  /** Number of capturing groups: an escaped number up to this one is a backreference. */
  #capturing(): number {
    this.#groups ??= [...this.#source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)|\(\?<(?![=!])/gs)].filter(([token]) =>
      token.startsWith('('),
    ).length
    return this.#groups
  }

  #take(what: RegExp): RegExpExecArray | undefined {
    what.lastIndex = this.#at
    const found = what.exec(this.#source)
    if (!found) return undefined
    this.#at = what.lastIndex
    return found
  }
}
