import type { Fetch } from './egress/egress.js'
import type { Reach } from './egress/reach.js'
import type { TokenStore } from './tokens/token-store.js'

/** What all ways to get tokens have in common. */
export type AccessOptions = {
  /** Where tokens and registrations are kept; in memory if not said. One store belongs to one person. */
  store?: TokenStore
  /** Ask for these scopes, besides those that a server asks for by itself. */
  scopes?: readonly string[]
  /** Sign requests, so that stolen tokens are worth nothing: `true` insists on it, `false` never does it. */
  dpop?: boolean
  /**
   * Which addresses a server may send us to for its metadata and tokens. Public ones, and those of this machine or of the
   * private network if the server's own URL is such an address.
   */
  reach?: Reach
  /** Replaces `fetch` for metadata and tokens; it has to look after the addresses that names resolve to. */
  fetch?: Fetch
}
