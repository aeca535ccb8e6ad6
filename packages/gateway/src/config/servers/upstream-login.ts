// Adds the configured OAuth login to a target.

import { problem } from '../config-error.js'
import { jsonPointer } from '../documents/document.js'
import type { Target, UpstreamLogin } from '../gateway-config.js'
import { isPrivateConnection } from '../own-address.js'
import { checkWebUrl } from '../settings/check-settings.js'
import type { ServerSettings } from '../settings/settings.js'

type Remote = Exclude<Target, { readonly kind: 'child' }>

/** The target with its login settings. Refuses settings that could never lead to a token. */
export function withLogin(target: Target, { auth }: ServerSettings, id: string): Target {
  if (auth === undefined) return target
  const at = `/toolwire/servers${jsonPointer(id)}/auth`
  if (target.kind === 'child') {
    if (auth === 'none') return target
    throw problem(at, 'a program gets its credentials through `env`; remove `auth`')
  }
  return { ...target, auth: auth === 'none' ? auth : loginOf(auth, target, at) }
}

function loginOf(auth: 'oauth' | Partial<UpstreamLogin>, { url, headers }: Remote, at: string): UpstreamLogin {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    throw problem(at, 'the server has an Authorization header already; remove the header or `auth`')
  // spec 2026-07-28, basic/authorization/security-considerations#communication-security
  if (!url.includes('${') && !isPrivateConnection(new URL(url)))
    throw problem(at, 'tokens need an encrypted connection; the address of the server must begin with https://')
  if (auth === 'oauth') return { perUser: false }
  const { perUser = false, clientId, clientSecret, issuer, scopes } = auth
  // An empty value, as from an unset variable, counts as not set.
  const client = { ...(clientId && { clientId }), ...(clientSecret && { clientSecret }), ...(issuer && { issuer }) }
  checkClient(client, at)
  return { perUser, ...client, ...(scopes && { scopes }) }
}

function checkClient({ clientId, ...about }: Partial<UpstreamLogin>, at: string): void {
  const [name] = Object.keys(about)
  if (clientId === undefined && name !== undefined)
    throw problem(`${at}/${name}`, 'this setting needs a registered client; add its `clientId`')
  if (about.issuer !== undefined) checkWebUrl(about.issuer, `${at}/issuer`)
}
