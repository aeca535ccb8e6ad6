import type { JsonObject } from '../json.js'
import { type AuthFetch, fetchObject } from './fetch-object.js'

/** Where to ask, and as whom: it must know us, or anyone could try tokens there. RFC 7662, section 2.1 */
export type IntrospectionEndpoint = {
  readonly endpoint: string
  readonly clientId: string
  readonly clientSecret: string
  /** How we say who we are: in the header (`basic`, if not said) or in the form (`post`). */
  readonly clientAuth?: 'basic' | 'post'
}

/** What the authorization server says about a token. */
export function requestIntrospection(
  { endpoint, clientId, clientSecret, clientAuth }: IntrospectionEndpoint,
  token: string,
  fetch?: AuthFetch,
): Promise<JsonObject> {
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' })
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }
  if (clientAuth === 'post') {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
    return fetchObject(endpoint, { method: 'POST', headers, body: form.toString() }, fetch)
  }
  const authorization = `Basic ${btoa(`${encoded(clientId)}:${encoded(clientSecret)}`)}`
  return fetchObject(endpoint, { method: 'POST', headers: { ...headers, authorization }, body: form.toString() }, fetch)
}

/** As in a form, before it is put together. RFC 6749, section 2.3.1 */
const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
