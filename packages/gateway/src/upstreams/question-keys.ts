const plain = /^[A-Za-z0-9_.-]{1,64}$/

/** Keys for the questions of one call: the upstream's own keys where they are valid and unique. */
export class QuestionKeys {
  readonly #used = new Set<string>()
  #count = 0

  next(named: string | undefined): string {
    this.#count++
    const key = named !== undefined && isUsable(named) && !this.#used.has(named) ? named : this.#numbered()
    this.#used.add(key)
    return key
  }

  /** A repeated question gets a new key, because the first answer was not accepted. */
  #numbered(): string {
    for (let number = this.#count; ; number++) {
      const key = `question-${number}`
      if (!this.#used.has(key)) return key
    }
  }
}

/** Names of inherited members, such as toString, are not usable as keys. */
const isUsable = (key: string): boolean => plain.test(key) && !(key in Object.prototype)
