import type { FoundAuthorization } from '../discovery/find-authorization.js'
import type { Egress } from '../egress/egress.js'
import type { DpopProofs } from '../tokens/dpop-proofs.js'
import type { Tokens } from '../tokens/tokens.js'
import type { Vault } from '../tokens/vault.js'

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
