/**
 * Decides whether a refused request justifies new tokens. Tokens that were just renewed and never accepted are not renewed again. Each
 * refusal is about the headers that the request was sent with, which may be older than the latest renewal.
 */
export class RenewalGate {
  readonly #generations = new WeakMap<object, number>()
  /** The number of renewals so far. */
  #generation = 0
  #isUntried = false

  sent(headers: object): void {
    this.#generations.set(headers, this.#generation)
  }

  answered(status: number, headers: object): void {
    if (status !== 401 && status < 500 && this.#isCurrent(headers)) this.#isUntried = false
  }

  /** Called after new tokens were stored. */
  renewed(): void {
    this.#generation++
    this.#isUntried = true
  }

  /** The reaction to a refusal: renew the tokens, retry with the current ones, or give up. */
  refused(headers: object): 'renew' | 'again' | 'enough' {
    if (!this.#isCurrent(headers)) return 'again'
    return this.#isUntried ? 'enough' : 'renew'
  }

  #isCurrent(headers: object): boolean {
    return (this.#generations.get(headers) ?? this.#generation) === this.#generation
  }
}
