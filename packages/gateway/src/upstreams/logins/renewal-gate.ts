/** Longest time after a renewal that a refusal may still be about the token before it. */
const graceMs = 5_000

/**
 * Whether a refusal is worth new tokens: those that have just been got, and that the server has not taken once, will not become
 * better by being got again. Requests that were under way with the old ones are counted, because a refusal does not say which
 * token it is about.
 */
export class RenewalGate {
  readonly #now: () => number
  #underWay = 0
  #late = 0
  #lateUntil = 0
  #isUntried = false

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  sent(): void {
    this.#underWay++
  }

  answered(status: number): void {
    this.#underWay = Math.max(0, this.#underWay - 1)
    if (status === 401 || status >= 500 || this.#takeLate()) return
    this.#isUntried = false
  }

  /** Other tokens are there. */
  renewed(): void {
    this.#late = this.#underWay
    this.#lateUntil = this.#now() + graceMs
    this.#underWay = 0
    this.#isUntried = true
  }

  /** What a refusal calls for: new tokens, another try with those that are there, or nothing any more. */
  refused(): 'renew' | 'again' | 'enough' {
    if (!this.#isUntried) return 'renew'
    return this.#takeLate() ? 'again' : 'enough'
  }

  #takeLate(): boolean {
    if (this.#late === 0 || this.#now() > this.#lateUntil) return false
    this.#late--
    return true
  }
}
