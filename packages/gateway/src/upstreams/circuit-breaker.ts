const failuresToOpen = 5
const probeEveryMs = 5_000

/** Spares callers long waits for an unavailable server: after several failures in a row, only one caller in an interval may try. */
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

  /** Milliseconds until the next attempt is allowed; 0 if it is allowed now. */
  get waitMs(): number {
    return this.isOpen ? Math.max(0, this.#triedAt + probeEveryMs - this.#now()) : 0
  }

  /** May this caller try? Others may not for the next interval. */
  tryAdmit(): boolean {
    if (this.waitMs > 0) return false
    this.#triedAt = this.#now()
    return true
  }

  succeed(): void {
    this.failures = 0
  }

  fail(): void {
    this.failures++
    this.#triedAt = this.#now()
  }
}
