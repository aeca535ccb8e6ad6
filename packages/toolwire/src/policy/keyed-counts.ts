/** Counts by key, each up to the same number. */
export class KeyedCounts<K> {
  readonly #most: number
  readonly #counts = new Map<K, number>()

  constructor(most: number) {
    this.#most = most
  }

  hasRoom(key: K): boolean {
    return (this.#counts.get(key) ?? 0) < this.#most
  }

  add(key: K, by: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + by
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}
