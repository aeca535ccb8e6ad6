// Authentication. Each request carries its credentials, inside a session too. spec 2026-07-28, basic/authorization#access-token-usage
import type { Caller } from '../../../../tools/caller.js'
import { definitionError } from '../../../../tools/checks/definition-error.js'
import { isMoment } from '../../../../tools/checks/option-values.js'
import type { HttpExchange } from '../http-exchange.js'
import type { HttpRefusal } from '../http-refusal.js'
import type { AuthenticationResult, Denial, HttpOptions } from '../options.js'
import { challengesOf } from './challenges.js'
import type { ProtectedResource } from './protected-resource.js'

export type AuthenticatedCaller = { readonly caller: Caller } | { readonly refused: HttpRefusal }

/** Authenticates requests; undefined if every caller is admitted. */
export function authenticatorOf(options: HttpOptions, resource: ProtectedResource | undefined) {
  const { authenticate } = options
  if (!authenticate) {
    if (!resource) return undefined
    throw definitionError('`resource` needs `authenticate`, which checks the tokens: bearerJwt(…) or introspection(…)')
  }
  const challenges = challengesOf(options, resource)
  const stepsUp = options.resource?.stepUp === 'challenge'
  const turnAway = (denial: Denial): AuthenticatedCaller => ({ refused: challenges.denied(denial) })
  const admitted = (exchange: HttpExchange, found: AuthenticationResult): AuthenticatedCaller => {
    if (!found) return exchange.header('authorization') === undefined ? { refused: challenges.missing() } : turnAway(unknown)
    if ('denied' in found) return turnAway(found)
    // Callers without an id would share state.
    if (typeof found.id !== 'string' || found.id === '' || !Array.isArray(found.scopes)) throw noCaller
    const { expiresAt } = found
    if (expiresAt !== undefined && !isMoment(expiresAt)) throw noMoment
    if (expiresAt !== undefined && expiresAt <= Date.now()) return turnAway(expired)
    exchange.challenge = challenges.forScopes
    return { caller: stepsUp ? { ...found, stepsUp } : found }
  }
  /** Synchronous, unless `authenticate` returns a promise. */
  return (exchange: HttpExchange): AuthenticatedCaller | Promise<AuthenticatedCaller> => {
    const { header, path, query, remote, port } = exchange
    if (query && new URLSearchParams(query).has('access_token')) return turnAway(inQuery)
    const found = authenticate({ header, url: query ? `${path}?${query}` : path, remote, port })
    if (!isLater(found)) return admitted(exchange, found)
    return Promise.resolve(found).then((settled) => admitted(exchange, settled))
  }
}

/** Database libraries return null for a missing record, and thenables that are no real promises. */
const isLater = (found: AuthenticationResult | Promise<AuthenticationResult>): found is Promise<AuthenticationResult> =>
  typeof found === 'object' && found !== null && 'then' in found

const noCaller = definitionError('`authenticate` must return a caller with `id` and `scopes`, a denial, or undefined')
const noMoment = definitionError('`authenticate` must return `expiresAt` as a number of milliseconds since 1970, or leave it out')

const invalidToken = (description: string): Denial => ({ denied: 'invalid_token', description })
// URLs end up in logs, histories and headers of other requests. spec 2026-07-28, basic/authorization#token-requirements
const inQuery = invalidToken('Send the token in the Authorization header, not in the query.')
const unknown = invalidToken('The credentials are not valid for this server.')
const expired = invalidToken('The credentials have expired.')
