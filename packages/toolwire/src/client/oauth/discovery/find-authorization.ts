import type { AuthorizationServer } from 'oauth4webapi'
import type { ChallengeDemands } from '../challenge.js'
import type { Egress } from '../egress/egress.js'
import type { Reach } from '../egress/reach.js'
import { canonicalUri } from './canonical-uri.js'
import { fetchResourceMetadata, type ResourceMetadata } from './resource-metadata.js'
import { originMetadata, serverMetadata } from './server-metadata.js'

/** Where to get tokens for a server, and for what. */
export type FoundAuthorization = {
  readonly resource: string
  readonly as: AuthorizationServer
  /** The scopes that the server lists. */
  readonly supported: readonly string[] | undefined
  /** Whether the server takes only tokens that come with a proof. */
  readonly dpop: boolean
}

type AuthorizationSearch = {
  readonly egress: Egress
  readonly reach: Reach
  readonly preferred: readonly (string | undefined)[]
}

/** From a refused request to the authorization server: resource metadata, then server metadata, then what came before both. */
export async function findAuthorization(
  server: string,
  asked: ChallengeDemands,
  { egress, reach, preferred }: AuthorizationSearch,
): Promise<FoundAuthorization> {
  const resource = await fetchResourceMetadata(server, asked, egress)
  if (!resource) {
    const as = await originMetadata(server, egress, reach)
    return { resource: canonicalUri(server), as, supported: undefined, dpop: asked.dpop }
  }
  const as = await serverMetadata(pickIssuer(resource, preferred), egress, reach)
  return { resource: resource.resource, as, supported: resource.scopes, dpop: asked.dpop || resource.dpop }
}

/** Of several, the one that we know already: RFC 9728 section 7.6 leaves it to us. */
function pickIssuer({ issuers }: ResourceMetadata, preferred: readonly (string | undefined)[]): string {
  return preferred.find((issuer) => issuer !== undefined && issuers.includes(issuer)) ?? issuers[0]!
}
