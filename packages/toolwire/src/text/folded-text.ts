// Text folded to how a reader sees it: look-alike letters become Latin ones.
import { latinLookAlike } from './confusables.js'

/** The text that was made of another, and where in that other each of its characters began. */
export type FoldedText = { readonly text: string; readonly at: Uint32Array }

const unseen = /[\p{Default_Ignorable_Code_Point}\p{C}]/gu
const unread = /[\p{Default_Ignorable_Code_Point}\p{M}\p{C}]/u
const space = /[\s\p{Z}]/u
const longestFold = 4

/**
 * A name as a program may read it: letter case, width and invisible characters are lost. Rules compare names like this before they refuse
 * a call. Accents and look-alike letters stay, since `müller` and `muller` may be two callers: a scan warns about these.
 */
export const foldName = (name: string): string =>
  /^[a-z0-9_.-]*$/.test(name) ? name : name.normalize('NFKC').replace(unseen, '').toLowerCase()

/**
 * In small letters, each as the plain one that it looks like (NFKC, accents and what is hidden left out), and with single spaces.
 */
export function foldText(text: string): FoldedText {
  const made = new FoldBuilder(text.length)
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0
    made.add(point < 0x80 ? foldedAscii(point) : foldedPoint(point), at)
    at += point > 0xffff ? 2 : 1
  }
  return made.folded
}

const foldedAscii = (point: number): string => {
  if (point > 0x20 && point < 0x7f) return String.fromCharCode(point).toLowerCase()
  return point === 0x20 || (point >= 0x09 && point <= 0x0d) ? ' ' : ''
}

const seen = new Map<number, string>()
const mostSeen = 4_096

function foldedPoint(point: number): string {
  const known = seen.get(point)
  if (known !== undefined) return known
  const fold = foldOf(String.fromCodePoint(point))
  if (seen.size < mostSeen) seen.set(point, fold)
  return fold
}

function foldOf(character: string): string {
  const parts = [...character.normalize('NFKD')]
  // Some characters stand for a whole sentence, and would make the text as many times longer.
  return parts.length > longestFold ? character : parts.map((part) => foldOfPart(part)).join('')
}

function foldOfPart(part: string): string {
  if (space.test(part)) return ' '
  if (unread.test(part)) return ''
  return latinLookAlike(part) ?? latinLookAlike(part.toLowerCase()) ?? part.toLowerCase()
}

const figures: { readonly [figure: string]: string } = { '0': 'o', '1': 'l', i: 'l', '3': 'e', '4': 'a', '5': 's', '7': 't' }
const signs: { readonly [sign: string]: string } = { '!': 'l', '|': 'l', '@': 'a', $: 's' }
const letter = /[\p{L}\p{N}]/u

/** Only the letters of folded text, also those written as figures: s p a c e d, h-y-p-h-e-n-e-d and 1337 are as plain ones. */
export function lettersOnly({ text }: FoldedText): FoldedText {
  const made = new FoldBuilder(text.length)
  for (let index = 0; index < text.length; ) {
    const point = text.codePointAt(index) ?? 0
    const character = String.fromCodePoint(point)
    made.add(figures[character] ?? signAt(text, index) ?? (isLetter(point, character) ? character : ''), index)
    index += character.length
  }
  return made.folded
}

/** Within a word only: "Attention!" ends in no letter. */
function signAt(text: string, at: number): string | undefined {
  const sign = signs[text[at] ?? '']
  return sign !== undefined && asciiLetter.test(text[at + 1] ?? '') ? sign : undefined
}

const asciiLetter = /[a-z0-9]/
const isLetter = (point: number, character: string) =>
  point < 0x80 ? (point >= 0x61 && point <= 0x7a) || (point >= 0x30 && point <= 0x39) : letter.test(character)

class FoldBuilder {
  readonly #text: string[] = []
  #at: Uint32Array
  #length = 0
  #last = ''

  constructor(expected: number) {
    this.#at = new Uint32Array(expected + longestFold)
  }

  add(text: string, at: number): void {
    if (text === '' || (text === ' ' && this.#last === ' ')) return
    if (this.#length + text.length > this.#at.length) this.#grow()
    this.#at.fill(at, this.#length, this.#length + text.length)
    this.#length += text.length
    this.#text.push(text)
    this.#last = text
  }

  get folded(): FoldedText {
    return { text: this.#text.join(''), at: this.#at }
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#at.length + longestFold)
    larger.set(this.#at)
    this.#at = larger
  }
}
