/** A queue with one reader. Adding an item never waits. */
export class EventQueue<T> {
  readonly #most: number
  #waiting: T[] = []
  #wake: (() => void) | undefined
  #isClosed = false
  /** Items were dropped, because the queue was full. */
  isOverfull = false

  constructor(most = 10_000) {
    this.#most = most
  }

  put(one: T): void {
    if (this.#waiting.length < this.#most) this.#waiting.push(one)
    else this.isOverfull = true
    this.#wake?.()
  }

  /** The queued items, as soon as there are any; empty after the queue was closed. */
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
