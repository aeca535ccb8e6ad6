import { type ClientAuth, PrivateKeyJwt } from 'oauth4webapi'
import type { Credentials } from '../../../peer/client-transport.js'
import type { AccessOptions } from '../access-options.js'
import { oauthCredentials } from '../oauth-credentials.js'
import { OAuthFailure } from '../oauth-failure.js'
import { clientAuth } from '../registration/client-identity.js'
import { boundIdentity, type PreRegistered } from '../registration/identify.js'
import { redeem, type TokenEndpoint } from '../tokens/token-endpoint.js'
import { memoryTokens } from '../tokens/token-store.js'
import { tokensFrom } from '../tokens/tokens.js'
import { vault } from '../tokens/vault.js'
import { importPrivateKey } from './private-key.js'
import type { GrantTarget } from './token-grant.js'

/**
 * A client that is itself the one who is authorized. Without `issuer`, the first authorization server that the MCP server names
 * gets to see the credentials, and no other from then on.
 */
export type ClientCredentialsOptions = AccessOptions & PreRegistered & Partial<SigningKey>

/** A key that signs the client's own assertions, instead of a secret that is sent. */
export type SigningKey = {
  /** PKCS #8, PEM. */
  privateKey: string
  /** Such as RS256; ES256 if not said. */
  algorithm?: string
  keyId?: string
}

/**
 * Access from machine to machine: the client credentials grant.
 *
 * @example
 * ```ts
 * const credentials = clientCredentials({ clientId: 'nightly', clientSecret: process.env.SECRET ?? '' })
 * ```
 */
export function clientCredentials(options: ClientCredentialsOptions): Credentials {
  if (options.clientSecret === undefined && options.privateKey === undefined)
    throw new OAuthFailure('bad_options', 'Client credentials need a clientSecret or a privateKey')
  const kept = vault(options.store ?? memoryTokens())
  const grant = {
    unattended: true,
    async obtain(target: GrantTarget) {
      const { resource, scopes } = target
      const parameters = { resource, ...(scopes.length > 0 && { scope: scopes.join(' ') }) }
      return tokensFrom(await redeem(await tokenEndpointFor(options, target), 'client_credentials', parameters), scopes)
    },
  }
  return oauthCredentials({ grant, vault: kept, options, issuer: options.issuer })
}

/** The token endpoint as a client that has its credentials from elsewhere. */
export async function tokenEndpointFor(
  options: PreRegistered & Partial<SigningKey>,
  { as, vault, egress, proofs }: GrantTarget,
): Promise<TokenEndpoint> {
  if (as.token_endpoint === undefined) throw new OAuthFailure('no_metadata', `${as.issuer} does not say where to get tokens`)
  const identity = await boundIdentity(options, as.issuer, vault)
  const { privateKey } = options
  const auth = privateKey === undefined ? clientAuth(identity, as) : await keyAuth({ ...options, privateKey })
  return { as, client: { client_id: identity.clientId }, auth, egress, proofs }
}

async function keyAuth({ privateKey, algorithm = 'ES256', keyId }: SigningKey): Promise<ClientAuth> {
  const key = await importPrivateKey(privateKey, algorithm)
  return PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId })
}
