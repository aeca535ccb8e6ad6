/** An item of a `Bag`, which keeps the item's index in `place`. */
export type BagItem = { place: number }

/**
 * An unordered set for items that come and go thousands of times a second. A Map or Set leaves a table behind each time it is rebuilt, and
 * each old table keeps its content alive for the garbage collector: docs/decisions/0012-what-a-call-leaves-behind.md.
 */
export class Bag<T extends BagItem> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.place = this.#items.length
    this.#items.push(item)
  }

  /** Removes the item if the bag holds it. The last item moves into its place. */
  delete(item: T): void {
    if (this.#items[item.place] !== item) return
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#items[item.place] = last
    last.place = item.place
  }

  find(matches: (item: T) => boolean): T | undefined {
    return this.#items.find(matches)
  }

  /** A copy of the items, so that the bag may change during an iteration. */
  all(): readonly T[] {
    return [...this.#items]
  }

  /** Removes and returns all items. */
  clear(): readonly T[] {
    return this.#items.splice(0)
  }
}
