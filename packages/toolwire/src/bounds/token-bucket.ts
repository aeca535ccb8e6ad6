const burst = 50
const perSecond = 10

/** Allows a burst and then a steady rate, so that a busy handler cannot flood its client. */
export class TokenBucket {
  readonly #now: () => number
  #tokens = burst
  #at: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#at = now()
  }

  take(): boolean {
    const now = this.#now()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) * perSecond) / 1_000)
    this.#at = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
