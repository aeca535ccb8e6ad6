/** Machine-readable reason for a failed authorization. */
export type OAuthFailureCode =
  /** Metadata that we need is missing at the server or its authorization server. */
  | 'no_metadata'
  /** The metadata is about another resource than the server that we called. */
  | 'wrong_resource'
  /** Something was issued by, or registered with, another authorization server. */
  | 'wrong_issuer'
  /** The authorization server does not promise PKCE with S256. */
  | 'no_pkce'
  /** This client cannot be registered at the authorization server. */
  | 'no_registration'
  | 'registration_refused'
  /** The person or the authorization server refused. */
  | 'authorization_refused'
  /** The answer belongs to no request of ours, or does not follow the protocol. */
  | 'bad_answer'
  /** The token endpoint refused; `oauthError` holds its error code. */
  | 'token_refused'
  | 'revocation_refused'
  /** An address that we do not send requests to. */
  | 'forbidden_address'
  /** No answer, or the server or its authorization server is busy; `oauthError` holds its error code, if it gave one. */
  | 'unreachable'
  | 'timed_out'
  | 'bad_options'

/**
 * Authorization failed. Neither the message nor the members ever hold a token, a code or a secret.
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

/** True if the token endpoint refused, with one of the given error codes if there are any. */
export const isRefusedToken = (thrown: unknown, errors?: readonly string[]): boolean =>
  thrown instanceof OAuthFailure && thrown.code === 'token_refused' && (errors?.includes(thrown.oauthError ?? '') ?? true)

const longestQuote = 200

/** Shortens untrusted text to one printable line, as part of a message. */
export function quoteForMessage(text: unknown): string {
  if (typeof text !== 'string') return ''
  return text.slice(0, longestQuote).replace(/[^\x20-\x7e]/g, ' ')
}
