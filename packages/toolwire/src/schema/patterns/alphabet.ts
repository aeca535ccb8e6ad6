import { BoundedMap } from '../../bounds/bounded-map.js'
import type { Characters, Meter } from './syntax.js'

/** Stands for the end of the text among the classes of characters. */
export const endOfText = 0

const mostRemembered = 4_096
const wordCharacters = '\\w'

/**
 * Puts characters that no part of a pattern tells apart into one class. Which characters `\s` or `\p{L}` means is asked of the
 * language itself, one character at a time, so the answer is always its own.
 */
export class Alphabet {
  readonly #sets: (number | RegExp)[] = []
  readonly #indexes = new Map<Characters, number>()
  /** Whether two surrogates in a row are one character. */
  readonly unicode: boolean
  readonly #classes = new Map<string, number>()
  /** By class: the sets that its characters belong to. */
  readonly #members: Uint8Array[] = [new Uint8Array()]
  readonly #others = new BoundedMap<number, number>(mostRemembered)
  /** The classes of the first 128 characters; 0 where one has not been met. */
  readonly ascii = new Uint16Array(128)
  #word: number | undefined

  constructor(unicode: boolean) {
    this.unicode = unicode
  }

  /** The number of a set of characters. */
  indexOf(characters: Characters): number {
    const known = this.#indexes.get(characters)
    if (known !== undefined) return known
    this.#indexes.set(characters, this.#sets.length)
    return (
      this.#sets.push(typeof characters === 'number' ? characters : new RegExp(`^${characters}$`, this.unicode ? 'u' : '')) - 1
    )
  }

  /** Call it before the first indexOf() if the pattern uses word boundaries. */
  tellWordsApart(): void {
    this.#word = this.indexOf(wordCharacters)
  }

  isWord(classIndex: number): boolean {
    return this.#word !== undefined && this.has(classIndex, this.#word)
  }

  has(classIndex: number, set: number): boolean {
    return this.#members[classIndex]![set] === 1
  }

  classOf(code: number, meter: Meter): number {
    const known = code < 128 ? this.ascii[code]! : this.#others.get(code)
    if (known) return known
    meter.spend(1 + (this.#sets.length >> 1))
    const found = this.#classify(code)
    if (code < 128) this.ascii[code] = found
    else this.#others.set(code, found)
    return found
  }

  #classify(code: number): number {
    const character = String.fromCodePoint(code)
    const members = Uint8Array.from(this.#sets, (set) => ((typeof set === 'number' ? set === code : set.test(character)) ? 1 : 0))
    const key = members.join('')
    const known = this.#classes.get(key)
    if (known !== undefined) return known
    this.#members.push(members)
    this.#classes.set(key, this.#members.length - 1)
    return this.#members.length - 1
  }
}
