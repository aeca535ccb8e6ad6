import { allowInsecureRequests, customFetch, processRevocationResponse, revocationRequest } from 'oauth4webapi'
import { checkOptions } from '../../../tools/checks/known-options.js'
import { canonicalUri } from '../discovery/canonical-uri.js'
import { serverMetadata } from '../discovery/server-metadata.js'
import { type Egress, egress } from '../egress/egress.js'
import { reachOf } from '../egress/reach.js'
import { type OAuthOptions, oauthOptions } from '../grants/authorization-code.js'
import { OAuthFailure } from '../oauth-failure.js'
import { clientAuth } from '../registration/client-identity.js'
import { checkPreRegistered, existingIdentity } from '../registration/identify.js'
import { refusalIn, type TokenEndpoint } from './token-endpoint.js'
import type { TokenStore } from './token-store.js'
import type { Tokens } from './tokens.js'
import { type Vault, vault } from './vault.js'

/** The options that `oauth` got the tokens with. */
export type SignOutOptions = Pick<OAuthOptions, 'client' | 'clientIdMetadataUrl' | 'redirectUri' | 'reach' | 'fetch'> & {
  store: TokenStore
}

/** The outcome of `signOut`. With `not offered`, the tokens were only forgotten, because the server offers no revocation. */
export type SignedOut = 'revoked' | 'not offered' | 'no tokens'

const totalMs = 7_000

/**
 * Forgets the tokens for a server, and revokes them at the authorization server that issued them (RFC 7009). Throws an `OAuthFailure`
 * within seven seconds if the revocation fails; the tokens are forgotten all the same.
 *
 * @example
 * ```ts
 * await signOut('https://shop.example/mcp', { redirectUri: 'http://127.0.0.1:8976/callback', store: memoryTokens() })
 * ```
 */
export async function signOut(server: string | URL, options: SignOutOptions): Promise<SignedOut> {
  // Programs may pass the options that they sign in with.
  checkOptions('signOut()', options, oauthOptions)
  checkPreRegistered(options.client)
  const held = await takeTokens(canonicalUri(server), vault(options.store))
  if (!held) return 'no tokens'
  const reach = options.reach ?? reachOf(server)
  const send = endedBy(AbortSignal.timeout(totalMs), egress(reach, options.fetch))
  const as = await serverMetadata(held.issuer, send, reach)
  if (as.revocation_endpoint === undefined) return 'not offered'
  const client = await existingIdentity(as, options, vault(options.store))
  if (!client)
    throw new OAuthFailure(
      'no_registration',
      `The tokens were not revoked, because the client that ${as.issuer} issued them to is not known any more`,
    )
  const at = { as, client: { client_id: client.clientId }, auth: clientAuth(client, as), egress: send }
  await revokeTokens(at, held.tokens)
  return 'revoked'
}

/** Removes the tokens for a server from the store, and returns them. */
async function takeTokens(server: string, kept: Vault) {
  const { issuer, resource } = (await kept.access.get(server)) ?? {}
  if (issuer === undefined || resource === undefined) return undefined
  const tokens = await kept.tokens.get(issuer, resource)
  await kept.tokens.drop(issuer, resource)
  await kept.access.drop(server)
  return tokens && { issuer, tokens }
}

/** Revokes the refresh token first, because most servers revoke the access token with it. Tries both, then throws the first error. */
async function revokeTokens(at: TokenEndpoint, { access, refresh }: Tokens): Promise<void> {
  const failures: unknown[] = []
  const note = (thrown: unknown) => void failures.push(thrown)
  if (refresh !== undefined) await revokeToken(at, refresh, 'refresh_token').catch(note)
  await revokeToken(at, access, 'access_token').catch(note)
  if (failures.length > 0) throw failures[0]
}

/** RFC 7009 section 2. A token that is no longer known counts as revoked. */
async function revokeToken({ as, client, auth, egress }: TokenEndpoint, token: string, hint: string): Promise<void> {
  try {
    const response = await revocationRequest(as, client, auth, token, {
      additionalParameters: { token_type_hint: hint },
      // `egress` decides if http is allowed for the address.
      [allowInsecureRequests]: true,
      [customFetch]: egress,
    })
    await processRevocationResponse(response)
  } catch (thrown) {
    if (thrown instanceof OAuthFailure) throw thrown
    const word = refusalIn(thrown)
    const what = hint.replace('_', ' ')
    throw new OAuthFailure('revocation_refused', `${as.issuer} has not revoked the ${what}${word ? `: ${word}` : ''}`, word)
  }
}

/** Applies one deadline to all requests together. */
const endedBy =
  (deadline: AbortSignal, send: Egress): Egress =>
  (url, init) =>
    send(url, { ...init, signal: deadline }).catch((thrown: unknown) => {
      if (!deadline.aborted) throw thrown
      throw new OAuthFailure('timed_out', `${new URL(url).host} did not answer within ${totalMs} ms`)
    })
