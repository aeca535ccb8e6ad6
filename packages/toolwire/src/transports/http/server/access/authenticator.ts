// Who comes in. Each request shows its credentials, inside a session too. spec 2026-07-28, basic/authorization#access-token-usage
import type { Caller } from '../../../../tools/caller.js'
import { definitionError } from '../../../../tools/checks/definition-error.js'
import type { HttpExchange } from '../http-exchange.js'
import type { HttpRefusal } from '../http-refusal.js'
import type { Authenticate, AuthenticationResult, Denial, HttpOptions } from '../options.js'
import { Challenges } from './challenges.js'
import type { ProtectedResource } from './protected-resource.js'

/** A caller, or why there is none. */
export type AuthenticatedCaller = { readonly caller: Caller } | { readonly refused: HttpRefusal }

export class Authenticator {
  readonly #authenticate: Authenticate
  readonly #challenges: Challenges
  readonly #stepsUp: boolean

  constructor(authenticate: Authenticate, options: HttpOptions, resource: ProtectedResource | undefined) {
    this.#authenticate = authenticate
    this.#challenges = new Challenges(options, resource)
    this.#stepsUp = options.resource?.stepUp === 'challenge'
  }

  /** At once where nobody else has to be asked. */
  admit(exchange: HttpExchange): AuthenticatedCaller | Promise<AuthenticatedCaller> {
    const { header, path, query, remote, port } = exchange
    if (query && new URLSearchParams(query).has('access_token')) return this.#turnAway(inQuery)
    const found = this.#authenticate({ header, url: query ? `${path}?${query}` : path, remote, port })
    if (!isLater(found)) return this.#admitted(exchange, found)
    return Promise.resolve(found).then((settled) => this.#admitted(exchange, settled))
  }

  #admitted(exchange: HttpExchange, found: AuthenticationResult): AuthenticatedCaller {
    if (!found)
      return exchange.header('authorization') === undefined ? { refused: this.#challenges.missing } : this.#turnAway(unknown)
    if ('denied' in found) return this.#turnAway(found)
    // A caller without a name would share state with every other one without a name.
    if (typeof found.id !== 'string' || !Array.isArray(found.scopes)) throw noCaller
    if (found.expiresAt !== undefined && found.expiresAt <= Date.now()) return this.#turnAway(expired)
    exchange.challenge = this.#challenges.forScopes
    return { caller: this.#stepsUp ? { ...found, stepsUp: true } : found }
  }

  #turnAway(denial: Denial): AuthenticatedCaller {
    return { refused: this.#challenges.denied(denial) }
  }
}

/** Queries of databases give null for nobody, and what can be waited for without being a real promise. */
const isLater = (found: AuthenticationResult | Promise<AuthenticationResult>): found is Promise<AuthenticationResult> =>
  typeof found === 'object' && found !== null && 'then' in found

/** Undefined where everybody may come in. */
export function authenticatorOf(options: HttpOptions, resource: ProtectedResource | undefined): Authenticator | undefined {
  if (options.authenticate) return new Authenticator(options.authenticate, options, resource)
  if (resource)
    throw definitionError(
      '`resource` says where to get tokens, so `authenticate` has to check them: bearerJwt(…), introspection(…)',
    )
  return undefined
}

const noCaller = definitionError('`authenticate` gives a caller with `id` and `scopes`, a denial, or undefined')

// Addresses end up in logs, histories and the headers of others. spec 2026-07-28, basic/authorization#token-requirements
const inQuery: Denial = {
  denied: 'invalid_token',
  description: 'Tokens belong into the Authorization header, never into the query',
}
const unknown: Denial = { denied: 'invalid_token', description: 'These credentials are not taken here' }
const expired: Denial = { denied: 'invalid_token', description: 'The credentials have expired' }
