import { type AuthorizationServer, type ClientAuth, None } from 'oauth4webapi'
import type { JsonObject } from '../../../json.js'
import { textMembers } from '../discovery/json-document.js'

/** This client's registration at one authorization server. */
export type ClientIdentity = {
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /** The authentication method at the token endpoint, if it is settled. */
  readonly authMethod?: string | undefined
}

/** Authentication methods of clients with a secret or without one, the best first. */
const secretMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const
type AuthMethod = (typeof secretMethods)[number]

const isAuthMethod = (text: string | undefined): text is AuthMethod => secretMethods.some((method) => method === text)

/** RFC 8414 section 2: an authorization server that does not list methods knows client_secret_basic. */
const supportedBy = (as: AuthorizationServer) => as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']

/** The method to register with. A program on a person's machine cannot keep a secret, so it prefers to have none. */
export function methodToRegister(as: AuthorizationServer, native: boolean): AuthMethod {
  const preferred = native ? (['none', 'client_secret_basic', 'client_secret_post'] as const) : secretMethods
  return preferred.find((method) => supportedBy(as).includes(method)) ?? 'none'
}

export function clientAuth(identity: ClientIdentity, as: AuthorizationServer): ClientAuth {
  const { clientSecret } = identity
  if (clientSecret === undefined) return None()
  const settled = isAuthMethod(identity.authMethod) ? identity.authMethod : undefined
  const method = settled ?? secretMethods.find((one) => supportedBy(as).includes(one)) ?? 'client_secret_basic'
  if (method === 'none') return None()
  return (_as, { client_id: id }, body, headers) => {
    if (method === 'client_secret_post') {
      body.set('client_id', id)
      body.set('client_secret', clientSecret)
    } else headers.set('authorization', `Basic ${btoa(`${formEncoded(id)}:${formEncoded(clientSecret)}`)}`)
  }
}

/**
 * RFC 6749 section 2.3.1. The library escapes `-` and `_` as well, which is allowed, but servers that forget to decode would
 * not recognise the client.
 */
const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

/** Reads an identity from a store, or from the answer of a registration endpoint. */
export const storedIdentity = (kept: JsonObject): ClientIdentity | undefined =>
  textMembers(kept, ['clientId'], ['clientSecret', 'authMethod'])
