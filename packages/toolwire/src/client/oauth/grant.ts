import type { Egress } from './egress.js'
import type { Found } from './find.js'
import type { Proofs } from './proofs.js'
import type { Tokens } from './tokens.js'
import type { Vault } from './vault.js'

/** All there is to know for getting tokens. */
export type Target = Found & {
  /** Canonical. */
  readonly server: string
  readonly scopes: readonly string[]
  readonly egress: Egress
  readonly vault: Vault
  readonly proofs: Proofs | undefined
}

/** A way to get tokens. */
export interface Grant {
  obtain(target: Target): Promise<Tokens>
  /** For grants that come with refresh tokens. */
  refresh?(target: Target, tokens: Tokens & { refresh: string }): Promise<Tokens>
  /** Nobody is asked, so that it can be done before a server complains. */
  readonly unattended: boolean
}
