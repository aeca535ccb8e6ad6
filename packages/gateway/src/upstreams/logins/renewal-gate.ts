/** Longest time after a renewal in which a refusal may still be about the old token. */
const graceMs = 5_000

/**
 * Decides whether a refused request justifies new tokens. Tokens that were just renewed and never accepted are not renewed again. Requests
 * in flight with the old tokens are counted, because a refusal does not say which token it is about.
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

  /** Resets the state after new tokens were stored. */
  renewed(): void {
    this.#late = this.#underWay
    this.#lateUntil = this.#now() + graceMs
    this.#underWay = 0
    this.#isUntried = true
  }

  /** The reaction to a refusal: renew the tokens, retry with the current ones, or give up. */
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
