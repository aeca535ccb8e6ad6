import type { Arrival, Authenticate, AuthenticationResult } from '../transports/http/server/options.js'

/**
 * Tries authenticators in order until one recognizes the credential. Its decision is final, so a revoked key is not shown to the next
 * authenticator, which might send the key elsewhere.
 *
 * @example
 * ```ts
 * const authenticate = anyOf(apiKeys({ store: memoryApiKeys([]) }), proxyHeader({ header: 'x-user', trustedPeers: ['10.0.0.1'] }))
 * ```
 */
export function anyOf(...ways: readonly [Authenticate, ...Authenticate[]]): Authenticate {
  const authenticate: Authenticate = (request) => firstOf(ways, request)
  return Object.assign(authenticate, { headers: ways.flatMap(({ headers = [] }) => headers) })
}

/** Synchronous, unless an authenticator returns a promise. */
function firstOf(ways: readonly Authenticate[], request: Arrival): AuthenticationResult | Promise<AuthenticationResult> {
  for (let at = 0; at < ways.length; at++) {
    const found = ways[at]?.(request)
    if (found instanceof Promise) return found.then((one) => one ?? firstOf(ways.slice(at + 1), request))
    if (found) return found
  }
  return undefined
}
