// Durations of calls in buckets that grow by a fifth: exact enough for charts, without keeping single durations.

/** Upper bound of the first bucket, in milliseconds. */
const least = 0.25
const perDoubling = 4
const buckets = 96

export class Latencies {
  readonly #counts = new Uint32Array(buckets)
  #total = 0

  add(ms: number): void {
    const at = ms <= least ? 0 : Math.min(buckets - 1, Math.ceil(Math.log2(ms / least) * perDoubling))
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#total++
  }

  /** The duration that this share of the calls did not exceed; NaN without calls. */
  quantile(part: number): number {
    if (this.#total === 0) return Number.NaN
    const wanted = part * this.#total
    let seen = 0
    for (let at = 0; at < buckets; at++) {
      seen += this.#counts[at] ?? 0
      if (seen >= wanted) return middleOf(at)
    }
    return middleOf(buckets - 1)
  }

  absorb(other: Latencies): void {
    for (const [at, count] of other.#counts.entries()) this.#counts[at] = (this.#counts[at] ?? 0) + count
    this.#total += other.#total
  }

  clear(): void {
    if (this.#total > 0) this.#counts.fill(0)
    this.#total = 0
  }
}

const middleOf = (at: number): number => (at === 0 ? least : least * 2 ** ((at - 0.5) / perDoubling))
