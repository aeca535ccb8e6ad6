import type { TokenEndpointResponse } from 'oauth4webapi'
import type { JsonObject } from '../../../json.js'
import { textMembers, textsIn } from '../discovery/json-document.js'

/** An access token and what we know about it. */
export type Tokens = {
  readonly access: string
  readonly type: 'Bearer' | 'DPoP'
  readonly refresh?: string | undefined
  /** When to get another one, in milliseconds since 1970. */
  readonly staleAt?: number | undefined
  /** Asked for, whether granted or not: a step up asks for these again. */
  readonly scopes: readonly string[]
}

const leewayMs = 30_000

/** What the token endpoint gave us; a tenth of a life, or half a minute, before its end a token counts as stale. */
export function tokensFrom(answer: TokenEndpointResponse, scopes: readonly string[], now = Date.now()): Tokens {
  const lifeMs = answer.expires_in === undefined ? undefined : answer.expires_in * 1_000
  return {
    access: answer.access_token,
    type: answer.token_type === 'dpop' ? 'DPoP' : 'Bearer',
    refresh: answer.refresh_token,
    staleAt: lifeMs && now + lifeMs - Math.min(leewayMs, lifeMs / 10),
    scopes,
  }
}

export const isStale = (tokens: Tokens, now = Date.now()): boolean => tokens.staleAt !== undefined && tokens.staleAt <= now

/** Reads what a store has kept. */
export function storedTokens(kept: JsonObject): Tokens | undefined {
  const texts = textMembers(kept, ['access'], ['refresh'])
  if (!texts || (kept.type !== 'Bearer' && kept.type !== 'DPoP')) return undefined
  const staleAt = typeof kept.staleAt === 'number' ? kept.staleAt : undefined
  return { ...texts, type: kept.type, staleAt, scopes: textsIn(kept.scopes) ?? [] }
}
