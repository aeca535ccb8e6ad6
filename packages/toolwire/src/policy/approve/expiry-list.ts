/** Entries that expire at different times, the first of them in front: those that have expired are found without a look at the others. */
export class ExpiryList<Entry extends { readonly until: number }> {
  readonly #entries: Entry[] = []

  add(entry: Entry): void {
    this.#entries.splice(this.#expiredBy(entry.until), 0, entry)
  }

  remove(entry: Entry): void {
    const index = this.#entries.lastIndexOf(entry, this.#expiredBy(entry.until) - 1)
    if (index >= 0) this.#entries.splice(index, 1)
  }

  /** Removes those that have expired at that moment, and gives them back. */
  takeExpired(moment: number): readonly Entry[] {
    return this.#entries.splice(0, this.#expiredBy(moment))
  }

  /** How many have. */
  #expiredBy(moment: number): number {
    let [low, high] = [0, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle]?.until ?? 0) <= moment) low = middle + 1
      else high = middle
    }
    return low
  }
}
