/** Entries in the order of their expiry, so that expired ones are found without a look at the others. */
export class ExpiryList<Entry extends { readonly until: number }> {
  readonly #entries: Entry[] = []

  add(entry: Entry): void {
    this.#entries.splice(this.#expiredBy(entry.until), 0, entry)
  }

  remove(entry: Entry): void {
    const index = this.#entries.lastIndexOf(entry, this.#expiredBy(entry.until) - 1)
    if (index >= 0) this.#entries.splice(index, 1)
  }

  /** Removes the entries that have expired at that moment, and returns them. */
  takeExpired(moment: number): readonly Entry[] {
    return this.#entries.splice(0, this.#expiredBy(moment))
  }

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
