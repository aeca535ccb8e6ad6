/** Keeps what was made from the same words before, so that only real differences are told. */
export class Memo<T> {
  #made = new Map<string, { readonly words: string; readonly value: T }>()

  /** What was made the last time and is not asked for now is forgotten. */
  anew<R>(build: (same: (key: string, words: unknown, make: () => T) => T) => R): R {
    const before = this.#made
    const made: typeof before = new Map()
    const built = build((key, about, make) => {
      const words = JSON.stringify(about)
      const known = before.get(key)
      const kept = known?.words === words ? known : { words, value: make() }
      made.set(key, kept)
      return kept.value
    })
    this.#made = made
    return built
  }
}
