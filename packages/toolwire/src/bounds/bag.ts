/** Something that a bag holds; the place is the bag's own note. */
export type BagItem = { place: number }

/**
 * An unordered set for what comes and goes thousands of times a second. A Map or Set leaves a table behind each time it is rebuilt,
 * and each old table keeps its content alive for the garbage collector: docs/decisions/0012-what-a-call-leaves-behind.md.
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

  /** Takes it out, if it is in it; the last one moves into its place. */
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

  /** What is in it now; what is done with them may change the bag. */
  all(): readonly T[] {
    return [...this.#items]
  }

  /** All that were in it; now nothing is. */
  clear(): readonly T[] {
    return this.#items.splice(0)
  }
}
