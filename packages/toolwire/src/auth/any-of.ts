import type { Arrival, Authenticate, AuthenticationResult } from '../transports/http/server/options.js'

/**
 * Asks one after the other. What one of them takes for its own is its to judge: a key that has been revoked is not shown to the
 * next one, which might send it somewhere.
 *
 * @example
 * ```ts
 * const authenticate = anyOf(apiKeys({ store: memoryApiKeys([]) }), proxyHeader({ header: 'x-user', trustedPeers: ['10.0.0.1'] }))
 * ```
 */
export function anyOf(...ways: readonly [Authenticate, ...Authenticate[]]): Authenticate {
  return (request) => firstOf(ways, request)
}

/** At once, as long as nobody has to be waited for. */
function firstOf(ways: readonly Authenticate[], request: Arrival): AuthenticationResult | Promise<AuthenticationResult> {
  for (let at = 0; at < ways.length; at++) {
    const found = ways[at]?.(request)
    if (found instanceof Promise) return found.then((one) => one ?? firstOf(ways.slice(at + 1), request))
    if (found) return found
  }
  return undefined
}
