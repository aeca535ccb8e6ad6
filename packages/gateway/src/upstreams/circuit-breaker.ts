const failuresToOpen = 5
const probeEveryMs = 5_000

/** Keeps callers from waiting again and again for a server that is not there: after a few failures in a row, one of them may try now and then. */
export class CircuitBreaker {
  /** Failures in a row. */
  failures = 0
  readonly #now: () => number
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get isOpen(): boolean {
    return this.failures >= failuresToOpen
  }

  /** Milliseconds until somebody may try again; 0 when one may now. */
  get waitMs(): number {
    return this.isOpen ? Math.max(0, this.#triedAt + probeEveryMs - this.#now()) : 0
  }

  /** Whether this one may try; others who ask meanwhile may not. */
  admit(): boolean {
    if (this.waitMs > 0) return false
    this.#triedAt = this.#now()
    return true
  }

  worked(): void {
    this.failures = 0
  }

  failed(): void {
    this.failures++
    this.#triedAt = this.#now()
  }
}
