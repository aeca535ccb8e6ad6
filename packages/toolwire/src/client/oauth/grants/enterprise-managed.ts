import type { Credentials } from '../../../peer/client-transport.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { someFunction, someText } from '../../../tools/checks/option-values.js'
import { serverMetadata } from '../discovery/server-metadata.js'
import { egress, type Fetch } from '../egress/egress.js'
import { reachOf } from '../egress/reach.js'
import { oauthCredentials } from '../oauth-credentials.js'
import { OAuthFailure } from '../oauth-failure.js'
import { clientAuth } from '../registration/client-identity.js'
import { checkPreRegistered, type PreRegistered } from '../registration/identify.js'
import { redeem, type TokenEndpoint } from '../tokens/token-endpoint.js'
import { redeemFor, scopeParameter, tokenEndpointFor } from './client-credentials.js'
import { type AccessOptions, accessValues, type GrantTarget } from './token-grant.js'
import { jwtBearer } from './workload-identity.js'

/** Access that an organisation manages at its identity provider, without asking the person at each server. */
export type EnterpriseManagedOptions = AccessOptions & {
  /** This client's registration at the authorization server. */
  client: PreRegistered
  identityProvider: IdentityProvider
}

/** The identity provider that has signed the person in. */
export type IdentityProvider = {
  issuer: string
  /** Read from the provider's metadata by default. */
  tokenEndpoint?: string
  clientId: string
  clientSecret?: string
  /** The person's ID token; called each time that one is needed. */
  idToken: () => Promise<string> | string
}

const known = optionsOf<EnterpriseManagedOptions>()('client identityProvider', accessValues)
const knownProvider = optionsOf<IdentityProvider>()({
  'issuer tokenEndpoint clientId clientSecret': someText,
  idToken: someFunction,
})

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
const idTokenType = 'urn:ietf:params:oauth:token-type:id_token'

/**
 * Credentials that an organisation manages. The identity provider exchanges an ID token for an assertion, and the authorization server
 * exchanges that for a token.
 *
 * @example
 * ```ts
 * type Options = Parameters<typeof enterpriseManaged>[0]
 * const signIn = (options: Options) => connect('https://shop.example/mcp', { auth: enterpriseManaged(options) })
 * ```
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Credentials {
  checkOptions('enterpriseManaged()', options, known)
  checkPreRegistered(options.client)
  checkOptions('`identityProvider`', options.identityProvider, knownProvider)
  const { client, identityProvider } = options
  const obtain = async (target: GrantTarget) => {
    // The client is checked first, so that no assertion is requested for an authorization server that it does not belong to.
    const endpoint = await tokenEndpointFor(client, target)
    const assertion = await assertionFor(target, identityProvider, await endpointOf(identityProvider, options.fetch))
    return redeemFor(target, endpoint, jwtBearer, { assertion })
  }
  return oauthCredentials({ client, unattended: true, obtain }, options)
}

async function endpointOf(idp: IdentityProvider, fetch: Fetch | undefined): Promise<TokenEndpoint> {
  const { clientId, clientSecret } = idp
  // The address is within reach in any case, because it comes from the caller and not from a server.
  const reach = reachOf(idp.tokenEndpoint ?? idp.issuer)
  const send = egress(reach, fetch)
  const as =
    idp.tokenEndpoint === undefined
      ? await serverMetadata(idp.issuer, send, reach)
      : { issuer: idp.issuer, token_endpoint: idp.tokenEndpoint }
  const auth = clientAuth({ clientId, clientSecret }, as)
  return { as, client: { client_id: clientId }, auth, egress: send, givesAssertions: true }
}

async function assertionFor(target: GrantTarget, { idToken }: IdentityProvider, idp: TokenEndpoint): Promise<string> {
  const answer = await redeem(idp, tokenExchange, {
    requested_token_type: idJag,
    audience: target.as.issuer,
    resource: target.resource,
    subject_token: await idToken(),
    subject_token_type: idTokenType,
    ...scopeParameter(target.scopes),
  })
  if (answer.issued_token_type !== idJag)
    throw new OAuthFailure('bad_answer', `${idp.as.issuer} issued another type of token than the requested assertion`)
  return answer.access_token
}
