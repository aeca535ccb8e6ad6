import { OAuthFailure, quoteForMessage } from '../oauth-failure.js'
import type { AuthorizationRecord } from './authorization-request.js'

/**
 * Reads the redirect that a person came back with. Nothing in it is believed, an error no more than a code, before it is clear
 * that it answers this request and comes from the recorded issuer (RFC 9207 section 2.4).
 */
export function checkedAuthorizationAnswer(answer: URL | string, record: AuthorizationRecord): URLSearchParams {
  const parameters = parametersOf(answer, record)
  checkIssuer(parameters.get('iss'), record)
  if (parameters.get('state') !== record.state) throw bad('The answer belongs to no authorization request of ours')
  const error = parameters.get('error')
  if (error !== null) throw refused(error, parameters.get('error_description'), record)
  if (!parameters.get('code')) throw bad('The answer holds no authorization code')
  return parameters
}

function parametersOf(answer: URL | string, { redirectUri }: AuthorizationRecord): URLSearchParams {
  const expected = new URL(redirectUri)
  if (!URL.canParse(String(answer), expected.href)) throw bad('The answer is no URL')
  const url = new URL(String(answer), expected)
  if (url.origin !== expected.origin || url.pathname !== expected.pathname) throw bad('The answer came to another redirect URI')
  for (const name of ['iss', 'state', 'code', 'error'])
    if (url.searchParams.getAll(name).length > 1) throw bad(`The answer has several values for ${name}`)
  return url.searchParams
}

/** Letter by letter: 2026-07-28/basic/authorization#authorization-response-validation */
function checkIssuer(iss: string | null, { issuer, issPromised }: AuthorizationRecord): void {
  if (iss === null && issPromised) throw bad(`The answer does not say that it is from ${issuer}, which always says so`)
  if (iss !== null && iss !== issuer) throw new OAuthFailure('wrong_issuer', `The answer is not from ${issuer}`)
}

function refused(error: string, description: string | null, { issuer }: AuthorizationRecord): OAuthFailure {
  const why = [quoteForMessage(error), quoteForMessage(description)].filter(Boolean).join(': ')
  return new OAuthFailure('authorization_refused', `${issuer} refused: ${why}`, quoteForMessage(error))
}

const bad = (message: string) => new OAuthFailure('bad_answer', message)
