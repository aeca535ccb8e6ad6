import type { JsonObject } from '../../../json.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { someText, someTexts } from '../../../tools/checks/option-values.js'
import { isSecure } from '../egress/reach.js'
import { OAuthFailure } from '../oauth-failure.js'

/** A client's description of itself, to publish at its own URL. */
export type ClientDescription = {
  /** The URL of the document, which is also the client's id. */
  url: string
  clientName: string
  redirectUris: readonly string[]
  clientUri?: string
  logoUri?: string
}

const known = optionsOf<ClientDescription>()({ 'url clientName clientUri logoUri': someText, redirectUris: someTexts })

/**
 * The document to serve at `url`, so that authorization servers know the client without a registration.
 * 2026-07-28/basic/authorization/client-registration#client-id-metadata-documents
 *
 * @example
 * ```ts
 * const document = clientMetadataDocument({
 *   url: 'https://app.example/client.json',
 *   clientName: 'App',
 *   redirectUris: ['http://127.0.0.1/callback'],
 * })
 * ```
 */
export function clientMetadataDocument(client: ClientDescription): JsonObject {
  checkOptions('clientMetadataDocument()', client, known)
  checkClientIdUrl(client.url)
  if (client.clientName === '') throw new OAuthFailure('bad_options', 'clientName is empty')
  if (client.redirectUris.length === 0) throw new OAuthFailure('bad_options', 'redirectUris is empty')
  client.redirectUris.forEach(checkRedirectUri)
  return {
    client_id: client.url,
    client_name: client.clientName,
    ...(client.clientUri !== undefined && { client_uri: client.clientUri }),
    ...(client.logoUri !== undefined && { logo_uri: client.logoUri }),
    redirect_uris: [...client.redirectUris],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** Requires an https URL with a path, because authorization servers would refuse to fetch others. */
export function checkClientIdUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url && url.hash === '' && url.username === '' && url.password === ''
  // URL resolves dots in paths, so a path with dots would differ from the written one.
  if (plain && url.protocol === 'https:' && url.pathname !== '/' && url.href === text) return
  throw new OAuthFailure(
    'bad_options',
    'The URL of the client metadata must be https, with a path, and without dot segments, credentials or a fragment',
  )
}

/** Redirects go to https, or to this machine. 2026-07-28/basic/authorization/security-considerations#communication-security */
export function checkRedirectUri(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && isSecure(url) && url.hash === '') return
  throw new OAuthFailure('bad_options', 'redirectUri must be an https URL, or http on a loopback address, without a fragment')
}
