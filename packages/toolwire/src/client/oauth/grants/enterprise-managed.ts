import type { Credentials } from '../../../peer/client-transport.js'
import type { AccessOptions } from '../access-options.js'
import { serverMetadata } from '../discovery/server-metadata.js'
import { egress, type Fetch } from '../egress/egress.js'
import { reachOf } from '../egress/reach.js'
import { oauthCredentials } from '../oauth-credentials.js'
import { OAuthFailure } from '../oauth-failure.js'
import { clientAuth } from '../registration/client-identity.js'
import type { PreRegistered } from '../registration/identify.js'
import { redeem, type TokenEndpoint } from '../tokens/token-endpoint.js'
import { memoryTokens } from '../tokens/token-store.js'
import { tokensFrom } from '../tokens/tokens.js'
import { vault } from '../tokens/vault.js'
import { tokenEndpointFor } from './client-credentials.js'
import type { GrantTarget } from './token-grant.js'
import { jwtBearer } from './workload-identity.js'

/** Access that an organisation manages at its identity provider, without asking the person at each server. */
export type EnterpriseManagedOptions = AccessOptions & {
  /** Who we are to the authorization server. */
  client: PreRegistered
  identityProvider: IdentityProvider
}

/** The identity provider that has signed the person in. */
export type IdentityProvider = {
  issuer: string
  /** Found in the provider's metadata if not said. */
  tokenEndpoint?: string
  clientId: string
  clientSecret?: string
  /** The person's ID token; called each time that one is needed. */
  idToken: () => Promise<string> | string
}

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
const idTokenType = 'urn:ietf:params:oauth:token-type:id_token'

/**
 * An ID token becomes an assertion at the identity provider, and the assertion becomes a token at the authorization server.
 *
 * @example
 * ```ts
 * type Options = Parameters<typeof enterpriseManaged>[0]
 * const signIn = (options: Options) => connect('https://shop.example/mcp', { auth: enterpriseManaged(options) })
 * ```
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Credentials {
  const { client, identityProvider } = options
  const kept = vault(options.store ?? memoryTokens())
  const grant = {
    unattended: true,
    async obtain(target: GrantTarget) {
      // Who we are to the authorization server is settled first: an assertion for one that we do not know is not asked for.
      const endpoint = await tokenEndpointFor(client, target)
      const assertion = await assertionFor(target, identityProvider, await endpointOf(identityProvider, options.fetch))
      const answer = await redeem(endpoint, jwtBearer, { assertion, resource: target.resource, ...scopeOf(target) })
      return tokensFrom(answer, target.scopes)
    },
  }
  return oauthCredentials({ grant, vault: kept, options, issuer: client.issuer })
}

async function endpointOf(idp: IdentityProvider, fetch: Fetch | undefined): Promise<TokenEndpoint> {
  const { clientId, clientSecret } = idp
  // Its address is the caller's own, not a server's.
  const reach = reachOf(idp.tokenEndpoint ?? idp.issuer)
  const send = egress(reach, fetch)
  const as =
    idp.tokenEndpoint === undefined
      ? await serverMetadata(idp.issuer, send, reach)
      : { issuer: idp.issuer, token_endpoint: idp.tokenEndpoint }
  const identity = { clientId, ...(clientSecret !== undefined && { clientSecret }) }
  const auth = clientAuth(identity, as)
  return { as, client: { client_id: clientId }, auth, egress: send, givesAssertions: true }
}

async function assertionFor(target: GrantTarget, { idToken }: IdentityProvider, idp: TokenEndpoint): Promise<string> {
  const answer = await redeem(idp, tokenExchange, {
    requested_token_type: idJag,
    audience: target.as.issuer,
    resource: target.resource,
    subject_token: await idToken(),
    subject_token_type: idTokenType,
    ...scopeOf(target),
  })
  if (answer.issued_token_type !== idJag)
    throw new OAuthFailure('bad_answer', `${idp.as.issuer} has issued something else than the assertion that was asked for`)
  return answer.access_token
}

const scopeOf = ({ scopes }: GrantTarget): Record<string, string> => (scopes.length > 0 ? { scope: scopes.join(' ') } : {})
