// Links that sign a browser in. Only an operator of the gateway can create one.
import type { StoredSession } from '../store/store.js'
import { isSameToken, newToken, tokenDigest } from './tokens.js'

type LoginLink = { readonly token: string; readonly expiresAt: number }

/** Whose credentials it was made with, and how long these hold; nothing where it was the operator. */
export type LinkIssuer = Pick<StoredSession, 'openedBy' | 'byKey' | 'until'>

const goodForMs = 300_000
const mostOpen = 8

export class LoginLinks {
  readonly #now: () => number
  #open: { readonly digest: string; readonly expiresAt: number; readonly maker: LinkIssuer }[] = []

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Good once, for five minutes; where many are open, the oldest is no longer. */
  make(maker: LinkIssuer = {}): LoginLink {
    const token = newToken()
    const expiresAt = this.#now() + goodForMs
    this.#open = [...this.#open, { digest: tokenDigest(token), expiresAt, maker }].slice(-mostOpen)
    return { token, expiresAt }
  }

  /** Uses it up, and tells who made it. Undefined where there is none, or none any more. */
  take(token: string): LinkIssuer | undefined {
    const now = this.#now()
    const open = this.#open.filter(({ expiresAt }) => expiresAt > now)
    const taken = open.filter(({ digest }) => isSameToken(token, digest))
    this.#open = open.filter((link) => !taken.includes(link))
    return taken[0]?.maker
  }
}
