import { canonicalUri } from '../discovery/canonical-uri.js'
import { serverMetadata } from '../discovery/server-metadata.js'
import { type Egress, egress } from '../egress/egress.js'
import { reachOf } from '../egress/reach.js'
import type { OAuthOptions } from '../grants/authorization-code.js'
import { OAuthFailure } from '../oauth-failure.js'
import { clientAuth } from '../registration/client-identity.js'
import { existingIdentity } from '../registration/identify.js'
import { revokeTokens } from './revoke-tokens.js'
import type { TokenStore } from './token-store.js'
import type { Tokens } from './tokens.js'
import { type Vault, vault } from './vault.js'

/** What `oauth` got the tokens with. */
export type SignOutOptions = Pick<OAuthOptions, 'client' | 'clientIdMetadataUrl' | 'redirectUri' | 'reach' | 'fetch'> & {
  /** Where the tokens are. */
  store: TokenStore
}

/** Whether tokens were revoked, or were there at all, or could only be forgotten because revocation is not offered. */
export type SignedOut = 'revoked' | 'not offered' | 'no tokens'

const totalMs = 7_000

/**
 * Forgets the tokens for a server, and revokes them at the authorization server that they are from (RFC 7009). Throws an
 * `OAuthFailure`, within seven seconds, where that could not be done; they are forgotten all the same.
 *
 * @example
 * ```ts
 * await signOut('https://shop.example/mcp', { redirectUri: 'http://127.0.0.1:8976/callback', store: memoryTokens() })
 * ```
 */
export async function signOut(server: string | URL, options: SignOutOptions): Promise<SignedOut> {
  const kept = vault(options.store)
  const held = await takeTokens(canonicalUri(server), kept)
  if (!held) return 'no tokens'
  const reach = options.reach ?? reachOf(server)
  const deadline = AbortSignal.timeout(totalMs)
  const send = endedBy(deadline, egress(reach, options.fetch))
  const as = await serverMetadata(held.issuer, send, reach)
  if (as.revocation_endpoint === undefined) return 'not offered'
  const client = await existingIdentity(as, options, kept)
  if (!client) throw new OAuthFailure('no_registration', `Nobody knows any more which client of ${as.issuer} had the tokens`)
  const at = { as, client: { client_id: client.clientId }, auth: clientAuth(client, as), egress: send }
  await revokeTokens(at, held.tokens)
  return 'revoked'
}

/** The tokens for a server, which are there for nobody else from now on. */
async function takeTokens(
  server: string,
  kept: Vault,
): Promise<{ readonly issuer: string; readonly tokens: Tokens } | undefined> {
  const standing = await kept.access.get(server)
  if (!standing) return undefined
  const { issuer, resource } = standing
  const tokens = await kept.tokens.get(issuer, resource)
  await kept.tokens.drop(issuer, resource)
  await kept.access.drop(server)
  return tokens && { issuer, tokens }
}

/** All requests together. */
const endedBy =
  (deadline: AbortSignal, send: Egress): Egress =>
  (url, init) =>
    send(url, { ...init, signal: deadline }).catch((thrown: unknown) => {
      if (!deadline.aborted) throw thrown
      throw new OAuthFailure('timed_out', `${new URL(url).host} did not answer within ${totalMs} ms`)
    })
