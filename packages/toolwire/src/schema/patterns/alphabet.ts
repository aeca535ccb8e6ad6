import { BoundedMap } from '../../bounds/bounded-map.js'
import type { Characters, Meter } from './syntax.js'

/** The character class of the end of the text. */
export const endOfText = 0

const mostRemembered = 4_096
const wordCharacters = '\\w'

/**
 * Groups characters that no part of a pattern tells apart into one class. JavaScript's own RegExp decides, one character at a
 * time, which characters `\s` or `\p{L}` matches.
 */
export class Alphabet {
  readonly #sets: (number | RegExp)[] = []
  readonly #indexes = new Map<Characters, number>()
  /** Reads a surrogate pair as one character. */
  readonly unicode: boolean
  readonly #classes = new Map<string, number>()
  /** By class, then by set: 1 where the class belongs to the set. */
  readonly #members: Uint8Array[] = [new Uint8Array()]
  readonly #others = new BoundedMap<number, number>(mostRemembered)
  /** Classes of the first 128 characters; 0 for a character not seen yet. */
  readonly ascii = new Uint16Array(128)
  #word: number | undefined

  constructor(unicode: boolean) {
    this.unicode = unicode
  }

  /** Returns the index of a character set, and adds the set if it is new. */
  indexOf(characters: Characters): number {
    const known = this.#indexes.get(characters)
    if (known !== undefined) return known
    this.#indexes.set(characters, this.#sets.length)
    return (
      this.#sets.push(typeof characters === 'number' ? characters : new RegExp(`^${characters}$`, this.unicode ? 'u' : '')) - 1
    )
  }

  /** Needed for word boundaries; call it before the first classOf(). */
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
