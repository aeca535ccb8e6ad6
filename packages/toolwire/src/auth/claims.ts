// Derives a caller from the claims of a token or of its introspection. RFC 9068, section 2.2; RFC 7662, section 2.2
import type { Caller } from '../tools/caller.js'

type Claims = { readonly [name: string]: unknown }

/**
 * Returns the caller of the claims. The id contains the issuer, because a subject is unique only for its issuer. An issuer is a URL
 * without spaces, so no two pairs have the same id.
 */
export function callerOf(issuer: string, claims: Claims, expiresAt: number | undefined): Caller | undefined {
  const { sub } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return undefined
  return { id: `${issuer} ${sub}`, scopes: scopesIn(claims), ...(expiresAt !== undefined && { expiresAt }) }
}

/** Reads scopes, which authorization servers write in three ways. Drops '*', which only we may grant. */
export function scopesIn({ scope, scp, permissions }: Claims): string[] {
  const all = [scope, scp, permissions].flatMap(texts).filter((one) => one !== '' && one !== '*')
  return [...new Set(all)]
}

function texts(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim.filter((one) => typeof one === 'string') : []
}

/** Other audiences that a token may name. */
export type OtherAudiences = readonly string[] | 'any'

export type Audience = { readonly ours: readonly string[]; readonly others: OtherAudiences | undefined }

/**
 * Returns why the audience of a token is refused, if it is. Names must match exactly. Other audiences are refused by default, because
 * each server that a token names could use the token here. RFC 9068, section 5
 */
export function wrongAudience(audience: unknown, { ours, others = [] }: Audience): string | undefined {
  const named: readonly unknown[] = [audience].flat()
  const isOurs = (one: unknown) => typeof one === 'string' && ours.includes(one)
  const isKnown = (one: unknown) => isOurs(one) || (typeof one === 'string' && (others === 'any' || others.includes(one)))
  if (!named.some(isOurs)) return 'The token is for another server'
  return named.every(isKnown) ? undefined : 'The token is also valid for other servers; request one for this server only'
}

/** Is the token bound to a key? Such tokens need a proof of possession, which is not supported here. RFC 9449, section 7.1 */
export const isSenderConstrained = ({ cnf }: Claims): boolean => cnf !== undefined
