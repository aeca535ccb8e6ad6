import type { AuthorizationServer } from 'oauth4webapi'
import { isNative } from '../authorize/redirect-uri.js'
import { objectIn, textIn } from '../discovery/json-document.js'
import type { Egress } from '../egress/egress.js'
import { OAuthFailure, quoteForMessage } from '../oauth-failure.js'
import { type ClientIdentity, methodToRegister } from './client-identity.js'

/** Registers us with an authorization server that lets clients do so (RFC 7591). */
export async function register(as: AuthorizationServer, client: RegistrationRequest, egress: Egress): Promise<ClientIdentity> {
  const response = await egress(as.registration_endpoint!, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(registrationOf(as, client)),
  })
  const body = objectIn(await response.text()) ?? {}
  const clientId = textIn(body.client_id)
  if (!response.ok || clientId === undefined) throw refused(as, response.status, body)
  const clientSecret = textIn(body.client_secret)
  const authMethod = textIn(body.token_endpoint_auth_method)
  return { clientId, ...(clientSecret && { clientSecret }), ...(authMethod !== undefined && { authMethod }) }
}

type RegistrationRequest = { readonly redirectUri: string; readonly clientName: string }

/** 2026-07-28/basic/authorization/client-registration#application-type-and-redirect-uri-constraints */
function registrationOf(as: AuthorizationServer, { redirectUri, clientName }: RegistrationRequest) {
  const native = isNative(redirectUri)
  return {
    client_name: clientName,
    redirect_uris: [redirectUri],
    application_type: native ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: methodToRegister(as, native),
  }
}

function refused(as: AuthorizationServer, status: number, body: Record<string, unknown>): OAuthFailure {
  const word = quoteForMessage(body.error)
  const why = [word, quoteForMessage(body.error_description)].filter(Boolean).join(': ')
  return new OAuthFailure(
    'registration_refused',
    `${as.issuer} does not register us: ${why || `status ${status}`}`,
    word || undefined,
  )
}
