const plain = /^[A-Za-z0-9_.-]{1,64}$/

/** What the questions of one call are called: as the upstream calls them, as far as that tells them apart. */
export class QuestionKeys {
  readonly #used = new Set<string>()
  #count = 0

  next(named: string | undefined): string {
    this.#count++
    const key = named !== undefined && isUsable(named) && !this.#used.has(named) ? named : this.#numbered()
    this.#used.add(key)
    return key
  }

  /** One that is asked again is another question to the caller: the answer before was no good. */
  #numbered(): string {
    for (let number = this.#count; ; number++) {
      const key = `question-${number}`
      if (!this.#used.has(key)) return key
    }
  }
}

/** What every object has of its own is no name for a question. */
const isUsable = (key: string): boolean => plain.test(key) && !(key in Object.prototype)
