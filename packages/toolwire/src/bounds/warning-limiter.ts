/** Limits the warnings per minute, and reports only the number of those left out. */
export class WarningLimiter {
  readonly #tell: (text: string) => void
  readonly #perMinute: number
  readonly #now: () => number
  #since = Number.NEGATIVE_INFINITY
  #told = 0
  #untold = 0

  constructor(tell: (text: string) => void, { perMinute = 20, now = () => performance.now() } = {}) {
    this.#tell = tell
    this.#perMinute = perMinute
    this.#now = now
  }

  /** The text is built only if it is shown, because a flood of garbage must be cheap. */
  add(words: () => string): void {
    const now = this.#now()
    if (now - this.#since >= 60_000) {
      this.flush()
      this.#since = now
      this.#told = 0
    }
    if (this.#told++ < this.#perMinute) this.#tell(words())
    else this.#untold++
  }

  flush(): void {
    if (this.#untold > 0) this.#tell(`${this.#untold} more warnings were not shown`)
    this.#untold = 0
  }
}
