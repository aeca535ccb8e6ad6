import type { JsonObject } from '../../../json.js'
import type { ChallengeDemands } from '../challenge.js'
import type { Egress } from '../egress/egress.js'
import { OAuthFailure, quoteForMessage } from '../oauth-failure.js'
import { canonicalUri, coversServer } from './canonical-uri.js'
import { fetchJsonDocument, textIn, textsIn } from './json-document.js'

/** What an MCP server says about how to get at it (RFC 9728). */
export type ResourceMetadata = {
  /** As the server writes it: the very text goes into our requests. */
  readonly resource: string
  readonly issuers: readonly string[]
  readonly scopes?: readonly string[]
  readonly dpop: boolean
}

/**
 * The address in the challenge if there is one, otherwise the well-known ones; undefined if the server has no metadata, as in
 * the first edition with authorization.
 * 2026-07-28/basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
 */
export async function fetchResourceMetadata(
  server: string,
  asked: ChallengeDemands,
  egress: Egress,
): Promise<ResourceMetadata | undefined> {
  const named = asked.resourceMetadata
  for (const address of named === undefined ? wellKnown(server) : [named]) {
    const document = await fetchJsonDocument(address, egress)
    if (document) return checkedMetadata(document, server)
  }
  if (named === undefined) return undefined
  throw new OAuthFailure('no_metadata', 'The server names resource metadata that cannot be read')
}

function wellKnown(server: string): string[] {
  const { origin, pathname } = new URL(canonicalUri(server))
  const root = `${origin}/.well-known/oauth-protected-resource`
  return pathname === '/' ? [root] : [root + pathname, root]
}

function checkedMetadata(document: JsonObject, server: string): ResourceMetadata {
  const resource = textIn(document.resource)
  const issuers = textsIn(document.authorization_servers) ?? []
  const scopes = textsIn(document.scopes_supported)
  if (resource === undefined || !coversServer(resource, server))
    throw new OAuthFailure('wrong_resource', `The server's metadata is about another resource: ${quoteForMessage(resource)}`)
  if (issuers.length === 0) throw new OAuthFailure('no_metadata', "The server's metadata names no authorization server")
  return { resource, issuers, ...(scopes && { scopes }), dpop: document.dpop_bound_access_tokens_required === true }
}
