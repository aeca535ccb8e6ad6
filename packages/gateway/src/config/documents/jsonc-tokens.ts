import { problem } from '../config-error.js'
import { lineAt } from './document.js'

/** One mark, string or bare word of a text. */
export type Token = { readonly kind: 'mark' | 'string' | 'bare' | 'end'; readonly text: string; readonly start: number }

const space = /[ \t\r\n]*/y
const bare = /[^\s"{}[\]:,/]+/y
const marks = '{}[]:,'

/** Cuts a text into words, one at a time; comments stand for nothing. */
export class Tokenizer {
  readonly text: string
  #at = 0

  constructor(text: string) {
    this.text = text
  }

  next(): Token {
    this.#skip()
    const start = this.#at
    const first = this.text[start]
    if (first === undefined) return { kind: 'end', text: '', start }
    if (marks.includes(first)) return this.#take('mark', start + 1)
    if (first === '"') return this.#take('string', this.#closing(start))
    bare.lastIndex = start
    if (!bare.test(this.text)) throw this.fault(start, 'is not understood here')
    return this.#take('bare', bare.lastIndex)
  }

  fault(offset: number, message: string) {
    return problem('', message, lineAt(this.text, offset))
  }

  #take(kind: Token['kind'], end: number): Token {
    const word = { kind, text: this.text.slice(this.#at, end), start: this.#at }
    this.#at = end
    return word
  }

  #skip(): void {
    for (;;) {
      space.lastIndex = this.#at
      space.test(this.text)
      this.#at = space.lastIndex
      if (this.text.startsWith('//', this.#at)) this.#at = this.#after('\n') ?? this.text.length
      else if (this.text.startsWith('/*', this.#at))
        this.#at = this.#after('*/') ?? this.#unclosed('the comment that begins here has no end')
      else return
    }
  }

  #after(mark: string): number | undefined {
    const found = this.text.indexOf(mark, this.#at + 2)
    return found === -1 ? undefined : found + mark.length
  }

  #unclosed(message: string): never {
    throw this.fault(this.#at, message)
  }

  #closing(start: number): number {
    for (let at = start + 1; at < this.text.length; at++) {
      const character = this.text[at]
      if (character === '"') return at + 1
      if (character === '\n') break
      if (character === '\\') at++
    }
    throw this.fault(start, 'the string that begins here has no end; is the file only half-written?')
  }
}
