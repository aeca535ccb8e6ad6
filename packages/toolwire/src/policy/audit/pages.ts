type Page = { readonly bytes: Uint8Array; readonly ends: number[] }

const pageBytes = 256 * 1_024
const mostBytes = 8 * 1_024 * 1_024
const utf8 = new TextEncoder()
const readUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The latest of many texts, as bytes: that many strings would keep the garbage collector busy. */
export class Pages {
  readonly #most: number
  #pages: Page[] = []
  /** How many on the first page have been dropped. */
  #dropped = 0
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  push(text: string): void {
    const page = this.#pageFor(text)
    const begin = page.ends.at(-1) ?? 0
    const { written } = utf8.encodeInto(text, begin === 0 ? page.bytes : page.bytes.subarray(begin))
    page.ends.push(begin + written)
    this.#size++
    if (this.#size > this.#most) this.#drop()
  }

  /** Oldest first. */
  texts(): string[] {
    const texts = this.#pages.flatMap(({ bytes, ends }) =>
      ends.map((end, at) => readUtf8.decode(bytes.subarray(at === 0 ? 0 : ends[at - 1], end))),
    )
    return texts.slice(this.#dropped)
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
    this.#dropped++
    this.#size--
    if (this.#dropped === this.#pages[0]?.ends.length) this.#dropPage()
  }

  #dropPage(): void {
    const page = this.#pages.shift()
    this.#size -= (page?.ends.length ?? 0) - this.#dropped
    this.#dropped = 0
  }
}
