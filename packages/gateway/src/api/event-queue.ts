/** A queue with one reader. Adding an item never waits. */
export class EventQueue<T> {
  readonly #most: number
  #waiting: T[] = []
  #wake: (() => void) | undefined
  #isClosed = false
  /** Some had no room, because nobody has read the others. */
  isOverfull = false

  constructor(most = 10_000) {
    this.#most = most
  }

  put(one: T): void {
    if (this.#waiting.length < this.#most) this.#waiting.push(one)
    else this.isOverfull = true
    this.#wake?.()
  }

  /** What waits, as soon as there is any; empty when there will be nothing more. */
  async take(): Promise<readonly T[]> {
    while (this.#waiting.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  close(): void {
    this.#isClosed = true
    this.#wake?.()
  }
}
