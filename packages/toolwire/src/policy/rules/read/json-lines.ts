import { toPointer } from '../../../schema/pointer.js'

/** Where the values of a text stand: line numbers, from 1, by JSON pointer. */
type LinesByPointer = ReadonlyMap<string, number>

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+|\n/g

/** The lines of the values in a JSON text; of equal keys the line of the last. */
export function jsonLines(text: string): LinesByPointer {
  const places = new LineReader()
  for (const [word] of text.matchAll(token)) places.read(word)
  return places.lines
}

/** One object or list that is open, and the member that is being read. */
type Open = { readonly isObject: boolean; key: string | number; awaitsKey: boolean }

class LineReader {
  readonly lines = new Map<string, number>([['', 1]])
  readonly #open: Open[] = []
  #line = 1

  read(word: string): void {
    switch (word) {
      case '\n':
        this.#line++
        return
      case '}':
      case ']':
        this.#open.pop()
        return
      case ',':
        this.#next(this.#open.at(-1))
        return
      case ':':
        return
      default:
        this.#keyOrValue(word, this.#open.at(-1))
    }
  }

  #next(open: Open | undefined): void {
    if (open?.isObject) open.awaitsKey = true
    else if (open) open.key = Number(open.key) + 1
  }

  #keyOrValue(word: string, open: Open | undefined): void {
    if (open?.awaitsKey) {
      open.key = unescaped(word)
      open.awaitsKey = false
      this.#key()
      return
    }
    if (!open?.isObject) this.lines.set(this.#pointer(), this.#line)
    if (word === '{' || word === '[') this.#open.push({ isObject: word === '{', key: 0, awaitsKey: word === '{' })
  }

  #key(): void {
    this.lines.set(this.#pointer(), this.#line)
  }

  #pointer(): string {
    return toPointer(this.#open.map(({ key }) => key))
  }
}

function unescaped(word: string): string {
  try {
    return String(JSON.parse(word))
  } catch {
    return word // the text is no JSON, which is said elsewhere
  }
}
