import type { FoundAuthorization } from '../discovery/find-authorization.js'
import type { Egress, Fetch } from '../egress/egress.js'
import type { Reach } from '../egress/reach.js'
import type { DpopProofs } from '../tokens/dpop-proofs.js'
import type { TokenStore } from '../tokens/token-store.js'
import type { Tokens } from '../tokens/tokens.js'
import type { Vault } from '../tokens/vault.js'

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

/** All there is to know for getting tokens. */
export type GrantTarget = FoundAuthorization & {
  /** Canonical. */
  readonly server: string
  readonly scopes: readonly string[]
  readonly egress: Egress
  readonly vault: Vault
  readonly proofs: DpopProofs | undefined
}

/** A way to get tokens. */
export interface TokenGrant {
  obtain(target: GrantTarget): Promise<Tokens>
  /** For grants that come with refresh tokens. */
  refresh?(target: GrantTarget, tokens: Tokens & { refresh: string }): Promise<Tokens>
  /** Nobody is asked, so that it can be done before a server complains. */
  readonly unattended: boolean
}
