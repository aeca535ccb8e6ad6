import { allowInsecureRequests, customFetch, processRevocationResponse, revocationRequest } from 'oauth4webapi'
import { OAuthFailure } from '../oauth-failure.js'
import { refusalIn, type TokenEndpoint } from './token-endpoint.js'
import type { Tokens } from './tokens.js'

/** The refresh token first: most authorization servers let the others go with it. Throws what went wrong first, when all was tried. */
export async function revokeTokens(at: Omit<TokenEndpoint, 'proofs'>, { access, refresh }: Tokens): Promise<void> {
  const failures: unknown[] = []
  const note = (thrown: unknown) => void failures.push(thrown)
  if (refresh !== undefined) await revokeToken(at, refresh, 'refresh_token').catch(note)
  await revokeToken(at, access, 'access_token').catch(note)
  if (failures.length > 0) throw failures[0]
}

/** RFC 7009 section 2. A token that is known no more counts as revoked. */
async function revokeToken({ as, client, auth, egress }: TokenEndpoint, token: string, hint: string): Promise<void> {
  try {
    const response = await revocationRequest(as, client, auth, token, {
      additionalParameters: { token_type_hint: hint },
      // Whether http will do is settled where the address is called.
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
