import { type JsonObject, textIn } from '../../../json.js'
import type { ChallengeDemands } from '../challenge.js'
import type { Egress } from '../egress/egress.js'
import type { Reach } from '../egress/reach.js'
import { OAuthFailure, quoteForMessage } from '../oauth-failure.js'
import { canonicalUri, coversServer } from './canonical-uri.js'
import { fetchJsonDocument, textsIn } from './json-document.js'
import { originMetadata, serverMetadata } from './server-metadata.js'

/** The authorization server for a server, and the resource and scopes to get tokens for. */
export type FoundAuthorization = Awaited<ReturnType<typeof findAuthorization>>

type AuthorizationSearch = { egress: Egress; reach: Reach; preferred: readonly (string | undefined)[] }

/** Finds the authorization server by resource metadata, or at the server's own origin if there is none. */
export async function findAuthorization(server: string, asked: ChallengeDemands, search: AuthorizationSearch) {
  const { egress, reach, preferred } = search
  const document = await resourceMetadata(server, asked.resourceMetadata, egress)
  if (!document) {
    const as = await originMetadata(server, egress, reach)
    return { resource: canonicalUri(server), as, supported: undefined, dpop: asked.dpop }
  }
  const { resource, issuers } = checkedMetadata(document, server)
  // A known issuer is preferred: RFC 9728 section 7.6 leaves the choice to the client.
  const issuer = preferred.find((one) => one !== undefined && issuers.includes(one)) ?? issuers[0]!
  return {
    /** The resource exactly as the server writes it, because requests repeat that text. */
    resource,
    as: await serverMetadata(issuer, egress, reach),
    /** The scopes that the server lists. */
    supported: textsIn(document.scopes_supported),
    /** True if the server wants tokens that come with a proof. */
    dpop: asked.dpop || document.dpop_bound_access_tokens_required === true,
  }
}

/**
 * Fetches resource metadata (RFC 9728) from the address in the challenge or the well-known ones; undefined if there is none.
 * 2026-07-28/basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
 */
async function resourceMetadata(server: string, named: string | undefined, egress: Egress): Promise<JsonObject | undefined> {
  for (const address of named === undefined ? wellKnown(server) : [named]) {
    const document = await fetchJsonDocument(address, egress)
    if (document) return document
  }
  if (named === undefined) return undefined
  throw new OAuthFailure('no_metadata', 'The resource metadata that the server names cannot be read')
}

function wellKnown(server: string): string[] {
  const { origin, pathname } = new URL(canonicalUri(server))
  const root = `${origin}/.well-known/oauth-protected-resource`
  return pathname === '/' ? [root] : [root + pathname, root]
}

function checkedMetadata(document: JsonObject, server: string) {
  const resource = textIn(document.resource)
  const issuers = textsIn(document.authorization_servers) ?? []
  if (resource === undefined || !coversServer(resource, server))
    throw new OAuthFailure('wrong_resource', `The server's metadata is about another resource: ${quoteForMessage(resource)}`)
  if (issuers.length === 0) throw new OAuthFailure('no_metadata', "The server's metadata names no authorization server")
  return { resource, issuers }
}
