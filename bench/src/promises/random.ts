/** Numbers from 0 to 1 that depend on the seed only (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T // never called with an empty list
  }

  word(length = 8): string {
    return Array.from({ length }, () => this.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('')
  }
}
