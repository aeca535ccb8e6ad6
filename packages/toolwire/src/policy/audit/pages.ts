type Page = { readonly bytes: Uint8Array; readonly ends: number[] }

const pageBytes = 256 * 1_024
const mostBytes = 8 * 1_024 * 1_024
const utf8 = new TextEncoder()
const readUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The latest of many texts, as bytes: that many strings would keep the garbage collector busy. */
export class Pages {
  readonly #most: number
  readonly #dropping: (count: number) => void
  #pages: Page[] = []
  /** How many on the first page have been dropped. */
  #dropped = 0
  #size = 0

  /** Told before the oldest are dropped, how many. */
  constructor(most: number, dropping: (count: number) => void) {
    this.#most = most
    this.#dropping = dropping
  }

  push(text: string): void {
    const page = this.#pageFor(text)
    const begin = page.ends.at(-1) ?? 0
    const { written } = utf8.encodeInto(text, begin === 0 ? page.bytes : page.bytes.subarray(begin))
    page.ends.push(begin + written)
    this.#size++
    if (this.#size > this.#most) this.#drop()
  }

  /** All, oldest first. */
  texts(): string[] {
    return this.#pages.flatMap((page, at) => textsOn(page, at === 0 ? this.#dropped : 0))
  }

  /** The oldest, so many of those on the first page. */
  oldest(count: number): string[] {
    const [first] = this.#pages
    return first ? textsOn(first, this.#dropped, this.#dropped + count) : []
  }

  #pageFor(text: string): Page {
    // No character takes more than three bytes for each of its units.
    const longest = text.length * 3
    const last = this.#pages.at(-1)
    if (last && last.bytes.length - (last.ends.at(-1) ?? 0) >= longest) return last
    const page: Page = { bytes: new Uint8Array(longest <= pageBytes ? pageBytes : utf8.encode(text).length), ends: [] }
    this.#pages.push(page)
    while (this.#pages.length > 1 && this.#bytes() > mostBytes) this.#dropPage()
    return page
  }

  #bytes(): number {
    return this.#pages.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  #drop(): void {
    this.#dropping(1)
    this.#dropped++
    this.#size--
    if (this.#dropped === this.#pages[0]?.ends.length) this.#forgetPage()
  }

  #dropPage(): void {
    const left = (this.#pages[0]?.ends.length ?? 0) - this.#dropped
    if (left > 0) this.#dropping(left)
    this.#size -= left
    this.#forgetPage()
  }

  #forgetPage(): void {
    this.#pages.shift()
    this.#dropped = 0
  }
}

function textsOn({ bytes, ends }: Page, from: number, to = ends.length): string[] {
  return ends.slice(from, to).map((end, at) => readUtf8.decode(bytes.subarray(from + at === 0 ? 0 : ends[from + at - 1], end)))
}
