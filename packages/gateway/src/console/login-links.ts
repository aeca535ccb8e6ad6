// Links that sign a browser in. Only an operator of the gateway can create one.
import type { StoredSession } from '../store/store.js'
import { isSameToken, newToken, tokenDigest } from './tokens.js'

type LoginLink = { readonly token: string; readonly expiresAt: number }

/** The credential that created a link, and its expiry; empty for the operator. */
export type LinkIssuer = Pick<StoredSession, 'openedBy' | 'credential' | 'until'>

const goodForMs = 300_000
const mostOpen = 8

export class LoginLinks {
  readonly #now: () => number
  #open: (Omit<LoginLink, 'token'> & { readonly digest: string; readonly endsAt: number; readonly maker: LinkIssuer })[] = []

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Creates a link that works once within five minutes. Beyond the limit, the oldest open link becomes invalid. */
  make(maker: LinkIssuer = {}): LoginLink {
    const token = newToken()
    const expiresAt = this.#now() + goodForMs
    // A clock that is set back prolongs no link.
    const endsAt = performance.now() + goodForMs
    this.#open = [...this.#open, { digest: tokenDigest(token), expiresAt, endsAt, maker }].slice(-mostOpen)
    return { token, expiresAt }
  }

  /** Uses up a link, and returns its issuer; undefined if the link is unknown, used or expired. */
  take(token: string): LinkIssuer | undefined {
    const now = this.#now()
    const open = this.#open.filter(({ expiresAt, endsAt }) => expiresAt > now && endsAt > performance.now())
    const taken = open.filter(({ digest }) => isSameToken(token, digest))
    this.#open = open.filter((link) => !taken.includes(link))
    return taken[0]?.maker
  }
}
