import type { Arrival, Authenticate, Found } from '../transports/http/options.js'

/**
 * Asks one after the other. What one of them takes for its own is its to judge: a key that has been revoked is not shown to the
 * next one, which might send it somewhere.
 *
 * ```ts
 * anyOf(apiKeys({ store }), bearerJwt({ issuer, resource }))
 * ```
 */
export function anyOf(...ways: readonly [Authenticate, ...Authenticate[]]): Authenticate {
  return async (request: Arrival): Promise<Found> => {
    for (const way of ways) {
      const found = await way(request)
      if (found) return found
    }
    return undefined
  }
}
