// Reads the source of a regular expression as JavaScript does. Whether it is one, the language itself has said before.
import { type Assertion, type Node, PatternError, type Syntax } from './syntax.js'

/** How deep groups may nest. */
const mostNested = 100

/** Parses a source that `new RegExp` accepts: with the flag `u`, or without any. Throws a PatternError for what cannot be matched in linear time. */
export const parsePattern = (source: string, unicode: boolean): Syntax =>
  ({ root: new Parser(source, unicode).choice(), unicode })

const digits = /\d+/y
const hexadecimal = /[0-9a-fA-F]+/y
const octal = /[0-3][0-7]{0,2}|[4-7][0-7]?/y
const quantifier = /([*+?]|\{(\d+)(,(\d*))?\})\??/y
const groupStart = /\((\?(?:<?[=!]|:|<[^>]*>|[^:]*:))?/y
const named = /\(\?<[^=!]/
const controls: { readonly [letter: string]: number } = { f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b }

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
    switch (this.#source[this.#at]) {
      case '(':
        return this.#group()
      case '[':
        return this.#class()
      case '\\':
        return this.#escape()
      case '^':
        return this.#assertion('start', 1)
      case '$':
        return this.#assertion('end', 1)
      case '.':
        this.#at++
        return { kind: 'characters', characters: '.' }
      default:
        return { kind: 'characters', characters: this.#itself() }
    }
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

  #escape(): Node {
    const start = this.#at++
    const letter = this.#source[this.#at]!
    if (letter === 'b' || letter === 'B') return this.#assertion(letter === 'b' ? 'boundary' : 'no-boundary', 1)
    if ('dDwWsS'.includes(letter)) return this.#named(start, this.#at + 1)
    if ((letter === 'p' || letter === 'P') && this.#unicode) return this.#named(start, this.#source.indexOf('}', this.#at) + 1)
    if (letter === 'k' && (this.#unicode || named.test(this.#source))) throw new PatternError('a backreference', start)
    if (letter >= '0' && letter <= '9') return this.#number(start)
    return { kind: 'characters', characters: this.#escaped(letter) }
  }

  #named(start: number, end: number): Node {
    this.#at = end
    return { kind: 'characters', characters: this.#source.slice(start, end) }
  }

  #number(start: number): Node {
    const from = this.#at
    const [number] = this.#take(digits)!
    if (number[0] !== '0' && (this.#unicode || Number(number) <= this.#capturing()))
      throw new PatternError('a backreference', start)
    this.#at = from
    const code = this.#take(octal)?.[0]
    if (code !== undefined) return { kind: 'characters', characters: Number.parseInt(code, 8) }
    return { kind: 'characters', characters: this.#itself() } // \8 and \9 stand for themselves
  }

  /** The character that an escape stands for. */
  #escaped(letter: string): number {
    const control = controls[letter]
    if (control !== undefined) {
      this.#at++
      return control
    }
    if (letter === 'c') return this.#control()
    if (letter === 'x') return this.#hexadecimal(2) ?? this.#itself()
    if (letter === 'u') return this.#codePoint() ?? this.#itself()
    return this.#itself()
  }

  #itself(): number {
    const character = this.#unicode ? this.#source.codePointAt(this.#at)! : this.#source.charCodeAt(this.#at)
    this.#at += character > 0xffff ? 2 : 1
    return character
  }

  #control(): number {
    const letter = this.#source[this.#at + 1] ?? ''
    if (!/[a-zA-Z]/.test(letter)) return 0x5c // the backslash itself; the c comes next
    this.#at += 2
    return letter.charCodeAt(0) % 32
  }

  /** As many digits after the letter, or nothing read. */
  #hexadecimal(length: number): number | undefined {
    hexadecimal.lastIndex = this.#at + 1
    const found = hexadecimal.exec(this.#source)?.[0].slice(0, length)
    if (found?.length !== length) return undefined
    this.#at += 1 + length
    return Number.parseInt(found, 16)
  }

  #codePoint(): number | undefined {
    if (this.#unicode && this.#source[this.#at + 1] === '{') {
      const end = this.#source.indexOf('}', this.#at)
      const code = Number.parseInt(this.#source.slice(this.#at + 2, end), 16)
      this.#at = end + 1
      return code
    }
    const unit = this.#hexadecimal(4)
    if (!this.#unicode || unit === undefined || unit < 0xd800 || unit > 0xdbff || !this.#source.startsWith('\\u', this.#at))
      return unit
    const before = this.#at++
    const low = this.#hexadecimal(4)
    if (low !== undefined && low >= 0xdc00 && low <= 0xdfff) return (unit - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000
    this.#at = before
    return unit
  }

  /** How many groups capture: a number up to theirs is a reference back to one. */
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
