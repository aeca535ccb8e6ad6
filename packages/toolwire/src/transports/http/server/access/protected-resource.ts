// The endpoint as OAuth knows it: a protected resource, with metadata that says where to get a token for it. RFC 9728
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

export class ProtectedResource {
  readonly metadataUrl: string
  readonly #options: ResourceOptions
  readonly #offered: () => readonly string[]
  readonly #path: string

  constructor(options: ResourceOptions, offered: () => readonly string[]) {
    const url = secureUrl(options.url, 'resource.url')
    if (url.hash !== '') throw definitionError('resource.url names an endpoint, so it has no fragment')
    const [first] = options.authorizationServers
    if (first === undefined)
      throw definitionError('resource.authorizationServers names at least one issuer: that is where clients get tokens')
    for (const server of options.authorizationServers) secureUrl(server, 'resource.authorizationServers')
    this.#options = options
    this.#offered = offered
    this.#path = `${wellKnown}${url.pathname === '/' ? '' : url.pathname}`
    this.metadataUrl = `${url.origin}${this.#path}${url.search}`
  }

  /** What a client should ask for at first. */
  get scopes(): readonly string[] {
    return requestableScopes(this.#options.scopes ?? this.#offered())
  }

  /** Whether a document is published there. */
  publishes(path: string): boolean {
    return this.#documentAt(path) !== undefined
  }

  /** Answers requests for the metadata documents; a client that looks for the login cannot have logged in. */
  answers(exchange: HttpExchange): boolean {
    const document = this.#documentAt(exchange.path)
    if (!document) return false
    if (exchange.method === 'GET')
      exchange.respond(200, { ...jsonHeaders, 'cache-control': 'max-age=300' }, JSON.stringify(document()))
    else refuse(exchange, { status: 405, message: 'This document can only be read', headers: { allow: 'GET' } })
    return true
  }

  #documentAt(path: string): (() => JsonObject) | undefined {
    if (path === this.#path || path === wellKnown) return () => this.#metadata
    const { authorizationServerMetadata: legacy } = this.#options
    return legacy && path === wellKnownServer ? () => legacy : undefined
  }

  get #metadata(): JsonObject {
    const { url, authorizationServers, name, documentation } = this.#options
    return {
      resource: url,
      authorization_servers: [...authorizationServers],
      scopes_supported: [...this.scopes],
      bearer_methods_supported: ['header'],
      ...(name !== undefined && { resource_name: name }),
      ...(documentation !== undefined && { resource_documentation: documentation }),
    }
  }
}
