import type { Credentials } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import { RenewalGate } from './renewal-gate.js'

type RenewingCredentialsOptions = {
  readonly inner: Credentials
  /** Grows whenever there are other tokens. */
  readonly written: { readonly count: number }
  /** What is thrown where new tokens do not help, or are not to be had. */
  readonly over: () => Error
}

/** Credentials that are renewed once when they are refused, however many requests were, and never again before they were taken. */
export class RenewingCredentials implements Credentials {
  readonly #options: RenewingCredentialsOptions
  readonly #turns = new RenewalGate()
  #renewal: Promise<boolean> | undefined

  constructor(options: RenewingCredentialsOptions) {
    this.#options = options
  }

  readonly headers: Credentials['headers'] = async (request) => {
    const headers = await this.#options.inner.headers(request)
    this.#turns.sent()
    return headers
  }

  readonly answered: NonNullable<Credentials['answered']> = (answer) => {
    this.#options.inner.answered?.(answer)
    this.#turns.answered(answer.status)
  }

  readonly refused: Credentials['refused'] = async (challenge) => {
    const { inner, over } = this.#options
    // RFC 9449 section 9: a nonce is missing, and no other token would do better.
    if (challenge.status !== 401 || challenge.wwwAuthenticate?.includes('use_dpop_nonce')) return inner.refused(challenge)
    if (await this.#isWorthIt(challenge)) return true
    throw over()
  }

  async #isWorthIt(challenge: types.Challenge): Promise<boolean> {
    if (!this.#renewal) {
      const turn = this.#turns.refused()
      if (turn !== 'renew') return turn === 'again'
    }
    this.#renewal ??= this.#renew(challenge).finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #renew(challenge: types.Challenge): Promise<boolean> {
    const { inner, written } = this.#options
    const before = written.count
    try {
      return await inner.refused(challenge)
    } finally {
      if (written.count !== before) this.#turns.renewed()
    }
  }
}
