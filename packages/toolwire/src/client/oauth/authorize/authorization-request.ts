import * as oauth from 'oauth4webapi'
import type { GrantTarget } from '../grants/token-grant.js'
import { OAuthFailure, quoteForMessage } from '../oauth-failure.js'

/** The values to check the redirect against. 2026-07-28/basic/authorization#authorization-response-validation */
type AuthorizationRecord = Awaited<ReturnType<typeof authorizationRequest>>['record']

type RedirectedClient = { readonly clientId: string; readonly redirectUri: string }

/** Returns the page to send the person to, and the record to check the redirect against. */
export async function authorizationRequest(target: Pick<GrantTarget, 'as' | 'resource' | 'scopes'>, us: RedirectedClient) {
  const { as, resource, scopes } = target
  const { clientId, redirectUri } = us
  checkPkce(as)
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  // True if the authorization server promises to send its issuer with the answer.
  const issPromised = as.authorization_response_iss_parameter_supported === true
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    // OpenID Connect Core section 11: without it, no refresh token comes of offline_access.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  }
  const url = new URL(as.authorization_endpoint!)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url, record: { issuer: as.issuer, issPromised, state, verifier, redirectUri } }
}

/** 2026-07-28/basic/authorization/security-considerations#authorization-code-protection */
function checkPkce(as: oauth.AuthorizationServer): void {
  if (as.authorization_endpoint === undefined || as.token_endpoint === undefined)
    throw new OAuthFailure('no_metadata', `The metadata of ${as.issuer} names no authorization endpoint or no token endpoint`)
  if (!as.code_challenge_methods_supported?.includes('S256'))
    throw new OAuthFailure(
      'no_pkce',
      `${as.issuer} does not declare PKCE with S256, without which authorization codes could be stolen`,
    )
}

/** Reads the redirect. Its code or error is used only after the state and the issuer are checked (RFC 9207 section 2.4). */
export function checkedAuthorizationAnswer(answer: URL | string, record: AuthorizationRecord): URLSearchParams {
  const parameters = parametersOf(answer, record)
  checkIssuer(parameters.get('iss'), record)
  if (parameters.get('state') !== record.state)
    throw bad('The authorization response has another state than the authorization request')
  const error = parameters.get('error')
  if (error !== null) throw refused(error, parameters.get('error_description'), record)
  if (!parameters.get('code')) throw bad('The authorization response contains no code')
  return parameters
}

function parametersOf(answer: URL | string, { redirectUri }: AuthorizationRecord): URLSearchParams {
  const expected = new URL(redirectUri)
  if (!URL.canParse(String(answer), expected.href)) throw bad('The authorization response is not a URL')
  const url = new URL(String(answer), expected)
  if (url.origin !== expected.origin || url.pathname !== expected.pathname)
    throw bad('The authorization response came to another redirect URI')
  for (const name of ['iss', 'state', 'code', 'error'])
    if (url.searchParams.getAll(name).length > 1) throw bad(`The authorization response has several values for ${name}`)
  return url.searchParams
}

/** Compares issuers exactly: 2026-07-28/basic/authorization#authorization-response-validation */
function checkIssuer(iss: string | null, { issuer, issPromised }: AuthorizationRecord): void {
  if (iss === null && issPromised) throw bad(`The authorization response has no \`iss\`, which ${issuer} promises to send`)
  if (iss !== null && iss !== issuer) throw new OAuthFailure('wrong_issuer', `The authorization response is not from ${issuer}`)
}

function refused(error: string, description: string | null, { issuer }: AuthorizationRecord): OAuthFailure {
  const why = [quoteForMessage(error), quoteForMessage(description)].filter(Boolean).join(': ')
  return new OAuthFailure('authorization_refused', `${issuer} refused: ${why}`, quoteForMessage(error))
}

const bad = (message: string) => new OAuthFailure('bad_answer', message)
