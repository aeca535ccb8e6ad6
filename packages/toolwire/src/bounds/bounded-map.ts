/** Values that hold until a moment; of too many, those that came first go first. */
export class BoundedMap<T> {
  readonly #most: number
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.until > now) return entry?.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: T, until: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until })
    if (this.#entries.size <= this.#most) return
    const [first] = this.#entries.keys()
    if (first !== undefined) this.#entries.delete(first)
  }
}
