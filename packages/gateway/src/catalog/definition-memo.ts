type Same<T> = (key: string, words: unknown, make: () => T) => T

/** Keeps what was made from the same words before, so that only real differences are told. */
export class DefinitionMemo<T> {
  #made = new Map<string, { readonly words: string; readonly value: T }>()

  /** For what is built, in several turns maybe: what is not asked for before it is done is forgotten then. */
  begin(): { readonly same: Same<T>; readonly done: () => void } {
    const before = this.#made
    const made: typeof before = new Map()
    const same: Same<T> = (key, about, make) => {
      const words = JSON.stringify(about)
      const known = before.get(key)
      const kept = known?.words === words ? known : { words, value: make() }
      made.set(key, kept)
      return kept.value
    }
    const done = () => {
      this.#made = made
    }
    return { same, done }
  }
}
