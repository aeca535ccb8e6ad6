import type { HttpOptions, ResourceOptions } from '../transports/http/server/options.js'
import { type BearerJwtOptions, bearerJwt } from './bearer-jwt.js'

/** One authorization server, and the endpoint that takes its tokens. */
export type OAuthResourceOptions = Omit<ResourceOptions, 'authorizationServers'> & Omit<BearerJwtOptions, 'resource'>

/**
 * What an endpoint needs to take the tokens of an authorization server: it checks them, and tells clients where to get them.
 *
 * @example
 * ```ts
 * await listen(app, oauthResource({ url: 'https://shop.example/mcp', issuer: 'https://auth.example' }))
 * ```
 */
export function oauthResource(options: OAuthResourceOptions): Required<Pick<HttpOptions, 'authenticate' | 'resource'>> {
  const { issuer, audience, otherAudiences, jwks, algorithms, clockSkewSeconds, fetch, now, ...resource } = options
  return {
    authenticate: bearerJwt({ ...options, resource: resource.url }),
    resource: { ...resource, authorizationServers: [issuer] },
  }
}
