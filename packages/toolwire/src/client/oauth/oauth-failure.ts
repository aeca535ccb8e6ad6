/** Why there is no token, for programs. */
export type OAuthFailureCode =
  /** The server or its authorization server does not say what we need to know. */
  | 'no_metadata'
  /** The metadata is about another resource than the server that we called. */
  | 'wrong_resource'
  /** Something was issued by, or registered with, another authorization server. */
  | 'wrong_issuer'
  /** The authorization server does not promise PKCE with S256. */
  | 'no_pkce'
  /** There is no way to become a client of this authorization server. */
  | 'no_registration'
  | 'registration_refused'
  /** The person, or the authorization server, said no. */
  | 'authorization_refused'
  /** What came back belongs to no question of ours, or is not what the protocol says. */
  | 'bad_answer'
  /** The token endpoint said no; `oauthError` has its word for it. */
  | 'token_refused'
  /** The authorization server does not take a token back. */
  | 'revocation_refused'
  /** An address that we do not send requests to. */
  | 'forbidden_address'
  | 'unreachable'
  | 'timed_out'
  | 'bad_options'

/**
 * Authorization came to nothing. Neither message nor members ever hold a token, a code or a secret.
 *
 * @example
 * ```ts
 * const isRefused = (thrown: unknown) => thrown instanceof OAuthFailure && thrown.code === 'no_metadata'
 * ```
 */
export class OAuthFailure extends Error {
  override name = 'OAuthFailure'
  readonly code: OAuthFailureCode
  /** The error code of the authorization server, such as `invalid_grant`. */
  readonly oauthError: string | undefined

  constructor(code: OAuthFailureCode, message: string, oauthError?: string) {
    super(message)
    this.code = code
    this.oauthError = oauthError
  }
}

const longestQuote = 200

/** Text from a stranger, short and on one line, as part of a message. */
export function quoteForMessage(text: unknown): string {
  if (typeof text !== 'string') return ''
  return text.slice(0, longestQuote).replace(/[^\x20-\x7e]/g, ' ')
}
