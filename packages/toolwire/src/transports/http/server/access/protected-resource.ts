// The endpoint as a protected resource of OAuth, with metadata that tells clients where to get tokens. RFC 9728
// spec 2026-07-28, basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
import type { JsonObject } from '../../../../json.js'
import { definitionError } from '../../../../tools/checks/definition-error.js'
import { secureUrl } from '../../../../tools/checks/secure-url.js'
import type { HttpExchange } from '../http-exchange.js'
import { jsonHeaders, refuse } from '../http-refusal.js'
import type { ResourceOptions } from '../options.js'
import { requestableScopes } from './challenges.js'

const wellKnown = '/.well-known/oauth-protected-resource'
const wellKnownServer = '/.well-known/oauth-authorization-server'

export type ProtectedResource = ReturnType<typeof protectedResource>

/** `offered`: the scopes of everything that is served. */
export function protectedResource(options: ResourceOptions, offered: () => readonly string[]) {
  const { authorizationServers, name, documentation, authorizationServerMetadata: legacy } = options
  const url = secureUrl(options.url, 'resource.url')
  if (url.hash !== '') throw definitionError('resource.url names an endpoint, so it must not have a fragment')
  if (authorizationServers.length === 0)
    throw definitionError('resource.authorizationServers must name at least one issuer, where clients get tokens')
  for (const server of authorizationServers) secureUrl(server, 'resource.authorizationServers')
  const ownPath = `${wellKnown}${url.pathname === '/' ? '' : url.pathname}`
  const scopes = () => requestableScopes(options.scopes ?? offered())
  const documentAt = (path: string): JsonObject | undefined => {
    if (path === wellKnownServer) return legacy
    if (path !== ownPath && path !== wellKnown) return undefined
    return {
      resource: options.url,
      authorization_servers: [...authorizationServers],
      scopes_supported: scopes(),
      bearer_methods_supported: ['header'],
      ...(name !== undefined && { resource_name: name }),
      ...(documentation !== undefined && { resource_documentation: documentation }),
    }
  }
  return {
    metadataUrl: `${url.origin}${ownPath}${url.search}`,
    /** The scopes that a client should request first. */
    get scopes(): readonly string[] {
      return scopes()
    },
    publishes: (path: string): boolean => documentAt(path) !== undefined,
    /** Answers requests for the metadata documents, which clients must be able to read before they have a token. */
    answers(exchange: HttpExchange): boolean {
      const document = documentAt(exchange.path)
      if (!document) return false
      if (exchange.method === 'GET')
        exchange.respond(200, { ...jsonHeaders, 'cache-control': 'max-age=300' }, JSON.stringify(document))
      else refuse(exchange, { status: 405, message: 'This document can only be read', headers: { allow: 'GET' } })
      return true
    },
  }
}
