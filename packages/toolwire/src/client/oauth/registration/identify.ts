import type { AuthorizationServer } from 'oauth4webapi'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { oneOf, someText } from '../../../tools/checks/option-values.js'
import { objectIn } from '../discovery/json-document.js'
import type { Egress } from '../egress/egress.js'
import { isLoopback } from '../egress/reach.js'
import { OAuthFailure, quoteForMessage } from '../oauth-failure.js'
import type { Vault } from '../tokens/vault.js'
import { type ClientIdentity, methodToRegister, storedIdentity } from './client-identity.js'

/** Client credentials that an authorization server issued in advance. */
export type PreRegistered = {
  clientId: string
  clientSecret?: string
  /** The authorization server that issued them; by default the first one that asks for them. */
  issuer?: string
  /** The method to send the secret; by default one that the authorization server supports. */
  authMethod?: 'client_secret_basic' | 'client_secret_post'
}

export const preRegisteredValues = {
  'clientId clientSecret issuer': someText,
  authMethod: oneOf('client_secret_basic', 'client_secret_post'),
} as const
const preRegistered = optionsOf<PreRegistered>()(preRegisteredValues)

/** A misspelt `issuer` would leave it to the MCP server to name the one that gets the secret. */
export const checkPreRegistered = (client: PreRegistered | undefined): void => checkOptions('`client`', client, preRegistered)

export type IdentitySources = {
  readonly client?: PreRegistered | undefined
  readonly clientIdMetadataUrl?: string | undefined
  readonly clientName: string
  readonly redirectUri: string
}

/** Identifies this client: pre-registered, by metadata document, or registered now. 2026-07-28/basic/authorization/client-registration */
export async function identify(as: AuthorizationServer, us: IdentitySources, vault: Vault, egress: Egress) {
  const before = await existingIdentity(as, us, vault)
  if (before) return before
  const now = await register(as, us, egress)
  await vault.registration.put(now, as.issuer, us.redirectUri)
  return now
}

/** The identity that this client already has at the authorization server, if any. */
export async function existingIdentity(as: AuthorizationServer, us: Omit<IdentitySources, 'clientName'>, vault: Vault) {
  const { client, clientIdMetadataUrl, redirectUri } = us
  if (client) return boundIdentity(client, as.issuer, vault)
  if (clientIdMetadataUrl !== undefined && as.client_id_metadata_document_supported) return { clientId: clientIdMetadataUrl }
  return vault.registration.get(as.issuer, redirectUri)
}

/** Refuses credentials to all but one authorization server, because otherwise an MCP server could get them by naming another one. */
export async function boundIdentity(client: PreRegistered, issuer: string, vault: Vault): Promise<ClientIdentity> {
  const home = client.issuer ?? (await vault.binding.get(client.clientId))?.issuer
  if (home !== undefined && home !== issuer)
    throw new OAuthFailure('wrong_issuer', `The client credentials are for ${home}, but the server now trusts ${issuer}`)
  const { clientId, clientSecret, authMethod } = client
  return { clientId, clientSecret, authMethod }
}

/** Binds credentials without an issuer to the first authorization server that has issued tokens for them. */
export async function bindClient({ clientId, issuer: home }: PreRegistered, issuer: string, vault: Vault): Promise<void> {
  if (home === undefined && !(await vault.binding.get(clientId))) await vault.binding.put({ issuer }, clientId)
}

/** Registers us with an authorization server that lets clients do so (RFC 7591). */
async function register(as: AuthorizationServer, sources: IdentitySources, egress: Egress): Promise<ClientIdentity> {
  const { redirectUri, clientName } = sources
  if (as.registration_endpoint === undefined) throw noRegistration(as)
  // Redirects to this machine are those of a native application, all others those of a web application.
  // 2026-07-28/basic/authorization/client-registration#application-type-and-redirect-uri-constraints
  const isNative = isLoopback(new URL(redirectUri))
  const registration = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    application_type: isNative ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: methodToRegister(as, isNative),
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const response = await egress(as.registration_endpoint, { method: 'POST', headers, body: JSON.stringify(registration) })
  const body = objectIn(new Uint8Array(await response.arrayBuffer())) ?? {}
  const { client_id: clientId = null, client_secret: clientSecret, token_endpoint_auth_method: authMethod = null } = body
  const us = storedIdentity({ clientId, clientSecret: clientSecret || null, authMethod })
  if (response.ok && us) return us
  const word = quoteForMessage(body.error)
  const why = [word, quoteForMessage(body.error_description)].filter(Boolean).join(': ') || `status ${response.status}`
  throw new OAuthFailure('registration_refused', `${as.issuer} refused to register this client: ${why}`, word || undefined)
}

const noRegistration = ({ issuer }: AuthorizationServer) =>
  new OAuthFailure(
    'no_registration',
    `${issuer} offers no dynamic registration. Register a client there and pass its id as \`client\`, or pass a \`clientIdMetadataUrl\``,
  )
