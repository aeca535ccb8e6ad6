// Links that let a browser in. Whoever prints one may manage the gateway already.
import { digestOf, isSame, newToken } from './tokens.js'

export type Link = { readonly token: string; readonly expiresAt: number }

const goodForMs = 300_000
const mostOpen = 8

export class Links {
  readonly #now: () => number
  #open: { readonly digest: string; readonly expiresAt: number }[] = []

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Good once, for five minutes; where many are open, the oldest is no longer. */
  make(): Link {
    const token = newToken()
    const expiresAt = this.#now() + goodForMs
    this.#open = [...this.#open, { digest: digestOf(token), expiresAt }].slice(-mostOpen)
    return { token, expiresAt }
  }

  /** Uses it up. False where there is none, or none any more. */
  take(token: string): boolean {
    const now = this.#now()
    const open = this.#open.filter(({ expiresAt }) => expiresAt > now)
    this.#open = open.filter(({ digest }) => !isSame(token, digest))
    return this.#open.length < open.length
  }
}
