import type { TokenEndpointResponse } from 'oauth4webapi'
import type { JsonObject } from '../../../json.js'
import { textMembers, textsIn } from '../discovery/json-document.js'

export type Tokens = {
  readonly access: string
  readonly type: 'Bearer' | 'DPoP'
  readonly refresh?: string | undefined
  /** Time to renew the token, in milliseconds since 1970. */
  readonly staleAt?: number | undefined
  /** The requested scopes, granted or not: a step-up requests them again. */
  readonly scopes: readonly string[]
}

const leewayMs = 30_000

/** Reads tokens from an answer. A token counts as stale a tenth of its life, but at most half a minute, before it expires. */
export function tokensFrom(answer: TokenEndpointResponse, scopes: readonly string[], now = Date.now()): Tokens {
  // A server that gives no time has not said when the token expires.
  const lifeMs = answer.expires_in === undefined || answer.expires_in <= 0 ? undefined : answer.expires_in * 1_000
  return {
    access: answer.access_token,
    type: answer.token_type === 'dpop' ? 'DPoP' : 'Bearer',
    refresh: answer.refresh_token,
    staleAt: lifeMs && now + lifeMs - Math.min(leewayMs, lifeMs / 10),
    scopes,
  }
}

export const isStale = (tokens: Tokens, now = Date.now()): boolean => tokens.staleAt !== undefined && tokens.staleAt <= now

export function storedTokens(kept: JsonObject): Tokens | undefined {
  const texts = textMembers(kept, ['access'], ['refresh'])
  if (!texts || (kept.type !== 'Bearer' && kept.type !== 'DPoP')) return undefined
  const staleAt = typeof kept.staleAt === 'number' ? kept.staleAt : undefined
  return { ...texts, type: kept.type, staleAt, scopes: textsIn(kept.scopes) ?? [] }
}
