import { refreshTokenGrantRequest } from 'oauth4webapi'
import { askForTokens, type TokenEndpoint } from '../tokens/token-endpoint.js'
import { type Tokens, tokensFrom } from '../tokens/tokens.js'
import type { GrantTarget } from './token-grant.js'

/** New tokens for old ones. A refresh token that is not replaced stays good. */
export async function refreshTokens(
  at: TokenEndpoint,
  target: GrantTarget,
  tokens: Tokens & { refresh: string },
): Promise<Tokens> {
  const additionalParameters = { resource: target.resource }
  const answer = await askForTokens(at, (options) =>
    refreshTokenGrantRequest(at.as, at.client, at.auth, tokens.refresh, { ...options, additionalParameters }),
  )
  return { refresh: tokens.refresh, ...tokensFrom(answer, tokens.scopes) }
}
