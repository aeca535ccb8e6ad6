import {
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
} from 'oauth4webapi'
import { OAuthFailure } from '../oauth-failure.js'

/**
 * What must be known when the person comes back, fixed before they leave.
 * 2026-07-28/basic/authorization#authorization-response-validation
 */
export type AuthorizationRecord = {
  readonly issuer: string
  /** Whether the authorization server promises to say who it is. */
  readonly issPromised: boolean
  readonly state: string
  readonly verifier: string
  readonly redirectUri: string
}

type AuthorizationParameters = {
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly scopes: readonly string[]
}

/** The page to send the person to, and what to remember meanwhile. */
export async function authorizationRequest(
  as: AuthorizationServer,
  wish: AuthorizationParameters,
): Promise<{ url: URL; record: AuthorizationRecord }> {
  checkPkce(as)
  const record: AuthorizationRecord = {
    issuer: as.issuer,
    issPromised: as.authorization_response_iss_parameter_supported === true,
    state: generateRandomState(),
    verifier: generateRandomCodeVerifier(),
    redirectUri: wish.redirectUri,
  }
  const url = new URL(as.authorization_endpoint!)
  for (const [name, value] of Object.entries(await parameters(wish, record))) url.searchParams.set(name, value)
  return { url, record }
}

async function parameters(wish: AuthorizationParameters, record: AuthorizationRecord): Promise<Record<string, string>> {
  return {
    response_type: 'code',
    client_id: wish.clientId,
    redirect_uri: wish.redirectUri,
    state: record.state,
    code_challenge: await calculatePKCECodeChallenge(record.verifier),
    code_challenge_method: 'S256',
    resource: wish.resource,
    ...(wish.scopes.length > 0 && { scope: wish.scopes.join(' ') }),
    // OpenID Connect Core section 11: without it, no refresh token comes of offline_access.
    ...(wish.scopes.includes('offline_access') && { prompt: 'consent' }),
  }
}

/** 2026-07-28/basic/authorization/security-considerations#authorization-code-protection */
function checkPkce(as: AuthorizationServer): void {
  if (as.authorization_endpoint === undefined || as.token_endpoint === undefined)
    throw new OAuthFailure('no_metadata', `${as.issuer} does not say where to authorize`)
  if (!as.code_challenge_methods_supported?.includes('S256'))
    throw new OAuthFailure('no_pkce', `${as.issuer} does not promise PKCE with S256, so codes that it gives could be stolen`)
}
