import type { AuthorizationServer } from 'oauth4webapi'
import { type JsonObject, textIn } from '../../../json.js'
import type { Egress } from '../egress/egress.js'
import { checkedUrl, type Reach } from '../egress/reach.js'
import { OAuthFailure, quoteForMessage } from '../oauth-failure.js'
import { fetchJsonDocument, textsIn } from './json-document.js'

/**
 * The metadata of an authorization server, from the first well-known address that has any.
 * 2026-07-28/basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery
 */
export async function serverMetadata(issuer: string, egress: Egress, reach: Reach): Promise<AuthorizationServer> {
  checkedUrl(issuer, reach, 'authorization server')
  for (const address of wellKnown(issuer)) {
    const document = await fetchJsonDocument(address, egress)
    if (document) return checkedMetadata(document, [issuer], reach)
  }
  throw new OAuthFailure('no_metadata', `The authorization server ${quoteForMessage(issuer)} has no metadata`)
}

/**
 * The first revision with authorization knew no resource metadata: the server's own origin is its authorization server, at
 * default paths where it has no metadata. 2025-03-26/basic/authorization#fallbacks-for-servers-without-metadata-discovery
 */
export async function originMetadata(server: string, egress: Egress, reach: Reach): Promise<AuthorizationServer> {
  const { origin } = new URL(server)
  const document = await fetchJsonDocument(`${origin}/.well-known/oauth-authorization-server`, egress)
  if (document) return checkedMetadata(document, [origin, `${origin}/`], reach)
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  }
}

function wellKnown(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ]
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`]
}

/** RFC 8414 section 3.3: metadata of another issuer must not be used, so it ends the search too. */
function checkedMetadata(document: JsonObject, issuers: readonly string[], reach: Reach): AuthorizationServer {
  const issuer = textIn(document.issuer)
  const expected = quoteForMessage(issuers[0])
  if (issuer === undefined || !issuers.includes(issuer))
    throw new OAuthFailure('wrong_issuer', `The metadata of ${expected} is that of another issuer: ${quoteForMessage(issuer)}`)
  const endpoint = (name: 'authorization_endpoint' | 'token_endpoint' | 'registration_endpoint') => {
    const address = textIn(document[name])
    return address === undefined ? undefined : checkedUrl(address, reach, name.replace('_', ' ')).href
  }
  return {
    issuer,
    authorization_endpoint: endpoint('authorization_endpoint'),
    token_endpoint: endpoint('token_endpoint'),
    registration_endpoint: endpoint('registration_endpoint'),
    // Checked only when it is called, so that a bad address does not prevent signing in.
    revocation_endpoint: textIn(document.revocation_endpoint),
    scopes_supported: textsIn(document.scopes_supported),
    code_challenge_methods_supported: textsIn(document.code_challenge_methods_supported),
    token_endpoint_auth_methods_supported: textsIn(document.token_endpoint_auth_methods_supported),
    dpop_signing_alg_values_supported: textsIn(document.dpop_signing_alg_values_supported),
    authorization_response_iss_parameter_supported: document.authorization_response_iss_parameter_supported === true,
    client_id_metadata_document_supported: document.client_id_metadata_document_supported === true,
  }
}
