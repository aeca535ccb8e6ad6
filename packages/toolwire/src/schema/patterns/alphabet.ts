import { BoundedMap } from '../../bounds/bounded-map.js'
import { characterSet } from './character-set.js'
import type { Characters, Meter } from './syntax.js'

/** The character class of the end of the text. */
export const endOfText = 0

const mostRemembered = 4_096
/** Size of the known classes from which on they are dropped before the next search. */
const mostBytes = 256 * 1024
/** Approximate size of a class in addition to its members, which are kept twice. */
const bytesAClass = 200
const wordCharacters = '\\w'

/** Characters that no set tells apart. `members` has a bit for each set that is not a single code point. */
type CharacterClass = { readonly code: number | undefined; readonly members: Uint8Array }

/**
 * Groups characters that no part of a pattern tells apart into one class. JavaScript's own RegExp decides, one character at a
 * time, which characters `\s` or `\p{L}` matches.
 */
export class Alphabet {
  /** Sets by index: a code point, or a bit in the members of each class. */
  readonly #sets: { readonly code: number | undefined; readonly bit: number }[] = []
  readonly #compound: { readonly tests: readonly number[]; readonly negated: boolean }[] = []
  readonly #tests = new Map<RegExp, number>()
  /** Work for one character. */
  #cost = 0
  readonly #indexes = new Map<Characters, number>()
  /** Reads a surrogate pair as one character. */
  readonly unicode: boolean
  readonly #numbers = new Map<string, number>()
  #classes: CharacterClass[] = [noCharacter]
  #bytes = 0
  readonly #others = new BoundedMap<number, number>(mostRemembered)
  /** Classes of the first 128 characters; 0 for a character not seen yet. */
  readonly ascii = new Uint32Array(128)
  #word: number | undefined

  constructor(unicode: boolean) {
    this.unicode = unicode
  }

  /** Returns the index of a character set, and adds the set if it is new. */
  indexOf(characters: Characters): number {
    const known = this.#indexes.get(characters)
    if (known !== undefined) return known
    this.#indexes.set(characters, this.#sets.length)
    if (typeof characters === 'number') return this.#sets.push({ code: characters, bit: 0 }) - 1
    const { tests, negated } = characterSet(characters, this.unicode)
    const indexes = tests.map((test) => {
      const index = this.#tests.get(test) ?? this.#tests.size
      this.#tests.set(test, index)
      return index
    })
    this.#cost += 1 + indexes.length
    return this.#sets.push({ code: undefined, bit: this.#compound.push({ tests: indexes, negated }) - 1 }) - 1
  }

  /** Needed for word boundaries; call it before the first classOf(). */
  tellWordsApart(): void {
    this.#word = this.indexOf(wordCharacters)
  }

  isWord(classIndex: number): boolean {
    return this.#word !== undefined && this.has(classIndex, this.#word)
  }

  has(classIndex: number, set: number): boolean {
    const { code, members } = this.#classes[classIndex]!
    const { code: only, bit } = this.#sets[set]!
    return only === undefined ? ((members[bit >> 3]! >> (bit & 7)) & 1) === 1 : only === code
  }

  classOf(code: number, meter: Meter): number {
    const known = code < 128 ? this.ascii[code]! : this.#others.get(code)
    if (known) return known
    meter.spend(1 + (this.#cost >> 1))
    const found = this.#classify(code)
    if (code < 128) this.ascii[code] = found
    else this.#others.set(code, found)
    return found
  }

  /** True if so many classes are known that they should be dropped; then all automata of the pattern must forget as well. */
  get isFull(): boolean {
    return this.#bytes > mostBytes
  }

  forget(): void {
    this.#numbers.clear()
    this.#classes = [noCharacter]
    this.#bytes = 0
    this.#others.clear()
    this.ascii.fill(0)
  }

  #classify(code: number): number {
    const character = String.fromCodePoint(code)
    const holds = Array.from(this.#tests.keys(), (test) => test.test(character))
    const members = new Uint8Array((this.#compound.length + 7) >> 3)
    for (const [bit, { tests, negated }] of this.#compound.entries())
      if (tests.some((index) => holds[index]) !== negated) members[bit >> 3]! |= 1 << (bit & 7)
    const isNamed = this.#indexes.has(code)
    const key = `${isNamed ? code : ''} ${String.fromCharCode(...members)}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#bytes += 2 * members.length + bytesAClass
    this.#numbers.set(key, this.#classes.length)
    return this.#classes.push({ code: isNamed ? code : undefined, members }) - 1
  }
}

const noCharacter: CharacterClass = { code: undefined, members: new Uint8Array() }
