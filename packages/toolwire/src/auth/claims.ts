// What a token or its introspection says, as far as it makes a caller. RFC 9068, section 2.2; RFC 7662, section 2.2
import type { Caller } from '../tools/caller.js'

type Claims = { readonly [name: string]: unknown }

/**
 * The caller that the claims are about: a subject means something only with its issuer. An issuer is a URL and has no space in it, so
 * no two pairs look the same.
 */
export function callerOf(issuer: string, claims: Claims, expiresAt: number | undefined): Caller | undefined {
  const { sub } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return undefined
  return { id: `${issuer} ${sub}`, scopes: scopesIn(claims), ...(expiresAt !== undefined && { expiresAt }) }
}

/** Authorization servers write scopes in three ways. None of them may hand out everything there is: '*' is for us to give. */
export function scopesIn({ scope, scp, permissions }: Claims): string[] {
  const all = [scope, scp, permissions].flatMap(texts).filter((one) => one !== '' && one !== '*')
  return [...new Set(all)]
}

function texts(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim.filter((one) => typeof one === 'string') : []
}

/** Servers that a token for us may name as well: their addresses, or any. */
export type OtherAudiences = readonly string[] | 'any'

/** Who a token may be for. */
export type Audience = { readonly ours: readonly string[]; readonly others: OtherAudiences | undefined }

/**
 * Why the audience of a token is not good enough, if it is not. Names are compared to the letter: one that is almost ours is somebody
 * else's. Every server that a token names gets to see it, and could use it here. RFC 9068, section 5
 */
export function wrongAudience(audience: unknown, { ours, others = [] }: Audience): string | undefined {
  const named: readonly unknown[] = [audience].flat()
  const isOurs = (one: unknown) => typeof one === 'string' && ours.includes(one)
  const isKnown = (one: unknown) => isOurs(one) || (typeof one === 'string' && (others === 'any' || others.includes(one)))
  if (!named.some(isOurs)) return 'The token is for another server'
  return named.every(isKnown) ? undefined : 'The token is for other servers, too; ask for one that is for this server only'
}

/** Such a token is good only with a proof that its bearer holds a key, and nobody here checks one. RFC 9449, section 7.1 */
export const isSenderConstrained = ({ cnf }: Claims): boolean => cnf !== undefined
