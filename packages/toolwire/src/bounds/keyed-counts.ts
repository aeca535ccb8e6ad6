/** Counts by key. Each count has the common limit, or the one given to `hasRoom`. */
export class KeyedCounts<K> {
  readonly #most: number
  readonly #counts = new Map<K, number>()

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  of(key: K): number {
    return this.#counts.get(key) ?? 0
  }

  hasRoom(key: K, most = this.#most): boolean {
    return this.of(key) < most
  }

  /** The key with the highest count; among equals, the one that was added first. */
  largest(): K | undefined {
    let [largest, most]: [K | undefined, number] = [undefined, 0]
    for (const [key, count] of this.#counts) if (count > most) [largest, most] = [key, count]
    return largest
  }

  add(key: K, by: number): void {
    const count = this.of(key) + by
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}
