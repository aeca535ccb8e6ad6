import * as oauth from 'oauth4webapi'
import { type Egress, isBusyStatus } from '../egress/egress.js'
import { OAuthFailure, quoteForMessage } from '../oauth-failure.js'
import type { DpopProofs } from './dpop-proofs.js'

export type TokenEndpoint = {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly auth: oauth.ClientAuth
  readonly egress: Egress
  readonly proofs?: DpopProofs | undefined
  /** The endpoint exchanges tokens for assertions, whose token type is N_A. */
  readonly givesAssertions?: true
}

type SendTokenRequest = (options: oauth.TokenEndpointRequestOptions) => Promise<Response>

/** Asks for tokens with any kind of grant. */
export function redeem(
  at: TokenEndpoint,
  grantType: string,
  parameters: Record<string, string>,
): Promise<oauth.TokenEndpointResponse> {
  return askForTokens(at, (options) =>
    oauth.genericTokenEndpointRequest(at.as, at.client, at.auth, grantType, parameters, options),
  )
}

/** Requests tokens, and retries once if the server only demands a nonce (RFC 9449 section 8). */
export async function askForTokens(at: TokenEndpoint, send: SendTokenRequest): Promise<oauth.TokenEndpointResponse> {
  const { as, client, egress, proofs } = at
  const ask = async () => {
    // The metadata check has already decided if http is allowed.
    const options = {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: egress,
      ...(proofs && { DPoP: proofs.atTokenEndpoint }),
    }
    const reading = at.givesAssertions && { recognizedTokenTypes: { n_a: () => undefined } }
    return oauth.processGenericTokenEndpointResponse(as, client, await send(options), reading)
  }
  try {
    return await ask().catch((thrown: unknown) => {
      if (proofs && oauth.isDPoPNonceError(thrown)) return ask()
      throw thrown
    })
  } catch (thrown) {
    throw asOAuthFailure(thrown, as)
  }
}

/** Keeps only the error code, because the library's errors carry what was sent and received, and the description may quote it. */
function asOAuthFailure(thrown: unknown, { issuer }: oauth.AuthorizationServer): OAuthFailure {
  if (thrown instanceof OAuthFailure) return thrown
  const word = refusalIn(thrown)
  if (word === undefined) return new OAuthFailure('bad_answer', `The token endpoint of ${issuer} sent an invalid response.`)
  if (isBusy(thrown))
    return new OAuthFailure('unreachable', `${issuer} cannot issue tokens at the moment: ${word}. Try again later`, word)
  return new OAuthFailure('token_refused', `${issuer} refused the token request: ${word}`, word)
}

/** True if the same request may succeed later, so that it says nothing about what was sent. */
const isBusy = (thrown: unknown): boolean =>
  thrown instanceof oauth.ResponseBodyError && (isBusyStatus(thrown.status) || busyErrors.has(thrown.error))

const busyErrors: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

/** The error code of an authorization server's refusal. */
export const refusalIn = (thrown: unknown): string | undefined =>
  thrown instanceof oauth.ResponseBodyError ? quoteForMessage(thrown.error) : undefined
