import type { Json } from 'toolwire'
import { JsonError, parseJson, type types } from 'toolwire/relay'
import { documentLimits } from './document.js'
import { type Token, Tokenizer } from './jsonc-tokens.js'

/** A value, and where in the text it stands. */
export type JsoncNode = ObjectNode | ArrayNode | ScalarNode
export type ObjectNode = {
  readonly kind: 'object'
  readonly members: readonly Member[]
  readonly start: number
  readonly end: number
}
type ArrayNode = { readonly kind: 'array'; readonly items: readonly JsoncNode[]; readonly start: number; readonly end: number }
type ScalarNode = { readonly kind: 'scalar'; readonly value: Json; readonly start: number; readonly end: number }
export type Member = { readonly key: string; readonly start: number; readonly value: JsoncNode }

/** Reads JSON with comments and trailing commas, as editors write it. */
export function readTree(text: string): JsoncNode {
  const reader = new Reader(text)
  return reader.whole()
}

const notString = 'this string is not valid JSON'
const notValue = 'is no JSON value; texts stand in double quotes'
const syntaxError: { readonly [code in types.JsonErrorCode]?: string } = {
  number: 'a number cannot be held exactly; write it as a string',
  surrogate: 'this string has half of a surrogate pair in it',
}

class Reader {
  readonly #words: Tokenizer
  #word: Token

  constructor(text: string) {
    this.#words = new Tokenizer(text)
    this.#word = this.#words.next()
  }

  whole(): JsoncNode {
    const node = this.#value(0)
    if (this.#word.kind !== 'end') throw this.#words.fault(this.#word.start, 'there is more text after the end of the value')
    return node
  }

  #value(depth: number): JsoncNode {
    const { kind, text, start } = this.#word
    if (depth > documentLimits.depth) throw this.#words.fault(start, `is nested deeper than ${documentLimits.depth}`)
    if (kind === 'end') throw this.#words.fault(start, 'the text ends too soon; is the file only half-written?')
    if (text === '{') return this.#object(depth)
    if (text === '[') return this.#array(depth)
    if (kind === 'mark') throw this.#words.fault(start, `a value is expected before ${text}`)
    this.#advance()
    return { kind: 'scalar', value: this.#scalar(text, start), start, end: start + text.length }
  }

  #object(depth: number): ObjectNode {
    const { start } = this.#word
    const members: Member[] = []
    const keys = new Set<string>()
    const end = this.#list('}', () => {
      const member = this.#member(depth)
      if (keys.has(member.key))
        throw this.#words.fault(member.start, `the key ${JSON.stringify(member.key)} stands here a second time; take one out`)
      keys.add(member.key)
      members.push(member)
    })
    return { kind: 'object', members, start, end }
  }

  #array(depth: number): ArrayNode {
    const { start } = this.#word
    const items: JsoncNode[] = []
    const end = this.#list(']', () => items.push(this.#value(depth + 1)))
    return { kind: 'array', items, start, end }
  }

  /** Reads up to the closing mark, and returns where the text goes on after it. */
  #list(close: string, item: () => void): number {
    this.#advance()
    while (this.#word.text !== close) {
      item()
      if (this.#word.text === ',') this.#advance()
      else if (this.#word.text !== close) throw this.#expected(`a comma or ${close}`)
    }
    const end = this.#word.start + 1
    this.#advance()
    return end
  }

  #member(depth: number): Member {
    const { kind, text, start } = this.#word
    if (kind !== 'string') throw this.#expected('a key in double quotes')
    const key = String(this.#scalar(text, start))
    this.#advance()
    if (this.#word.text !== ':') throw this.#expected('a colon')
    this.#advance()
    return { key, start, value: this.#value(depth + 1) }
  }

  #scalar(text: string, start: number): Json {
    try {
      return parseJson(text)
    } catch (thrown) {
      if (!(thrown instanceof JsonError)) throw thrown
      throw this.#words.fault(start, syntaxError[thrown.code] ?? (text.startsWith('"') ? notString : notValue))
    }
  }

  #expected(what: string) {
    const { kind, start } = this.#word
    return this.#words.fault(
      start,
      kind === 'end' ? 'the text ends too soon; is the file only half-written?' : `${what} is expected here`,
    )
  }

  #advance(): void {
    this.#word = this.#words.next()
  }
}
