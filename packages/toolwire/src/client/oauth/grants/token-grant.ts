import { oneOf, someFunction, someObject, someTexts, trueOrFalse } from '../../../tools/checks/option-values.js'
import type { FoundAuthorization } from '../discovery/find-authorization.js'
import type { Egress, Fetch } from '../egress/egress.js'
import type { Reach } from '../egress/reach.js'
import type { PreRegistered } from '../registration/identify.js'
import type { DpopProofs } from '../tokens/dpop-proofs.js'
import type { TokenStore } from '../tokens/token-store.js'
import type { Tokens } from '../tokens/tokens.js'
import type { Vault } from '../tokens/vault.js'

export type AccessOptions = {
  /** Store for tokens and registrations; in memory by default. One store belongs to one person. */
  store?: TokenStore
  /** Scopes to request, besides those that a server demands. */
  scopes?: readonly string[]
  /** Signs requests (DPoP), so that stolen tokens are worthless: `true` requires it, `false` never does it. */
  dpop?: boolean
  /** Addresses that a server may send us to: public ones, by default also private or loopback ones if its own URL is such an address. */
  reach?: Reach
  /** Replaces `fetch` for metadata and tokens; it must check the addresses that host names resolve to. */
  fetch?: Fetch
}

export const accessValues = {
  store: someObject,
  scopes: someTexts,
  dpop: trueOrFalse,
  reach: oneOf('public', 'private', 'loopback'),
  fetch: someFunction,
} as const

export type GrantTarget = FoundAuthorization & {
  /** The canonical URI of the server. */
  readonly server: string
  readonly scopes: readonly string[]
  readonly egress: Egress
  readonly vault: Vault
  readonly proofs: DpopProofs | undefined
}

export interface TokenGrant {
  obtain(target: GrantTarget): Promise<Tokens>
  /** For grants that come with refresh tokens; undefined if this refresh token will never be accepted again. */
  refresh?(target: GrantTarget, tokens: Tokens & { refresh: string }): Promise<Tokens | undefined>
  /** The client that the grant is for, if it was registered in advance. */
  readonly client?: PreRegistered | undefined
  /** True if no person is asked, so that tokens can be renewed before a server complains. */
  readonly unattended: boolean
}
