// Revokes the tokens of a removed login at the server that issued them.
import { OAuthFailure, signOut } from 'toolwire/client/oauth'
import type { UpstreamConfig } from '../../config/gateway-config.js'
import { loginConfigOf } from './login-config.js'
import type { StoredLogin } from './login-store.js'
import type { LogoutResult } from './logins.js'
import { oauthClientOptions } from './stored-credentials.js'

type RemovedLogin = {
  /** Undefined if the upstream is no longer in the config. */
  readonly upstream: UpstreamConfig | undefined
  readonly login: StoredLogin
  readonly held: ReadonlyMap<string, string>
}

/** Revokes the tokens, or reports why it cannot; the tokens then stay valid until they expire. */
export async function revokeLogin({ upstream, login, held }: RemovedLogin): Promise<LogoutResult> {
  const wanted = upstream && loginConfigOf(upstream)
  if (!wanted || upstream.target.kind === 'child') return notRevoked('the config no longer has a login for this server')
  const tokens = new Map(held)
  const store = { get: (key: string) => tokens.get(key), set: () => undefined, delete: () => undefined }
  try {
    const end = await signOut(upstream.target.url, { ...oauthClientOptions(wanted, login), store })
    return end === 'revoked' ? { revoked: true } : notRevoked(reasons[end](login))
  } catch (thrown) {
    return notRevoked(thrown instanceof OAuthFailure ? thrown.message : String(thrown))
  }
}

const reasons = {
  'not offered': ({ issuer }: StoredLogin) => `${issuer} does not support revocation`,
  'no tokens': () => 'no tokens are stored for the current address of the server',
} as const

const notRevoked = (why: string): LogoutResult => ({
  revoked: false,
  note: `The tokens were deleted here but not revoked, and stay valid until they expire: ${why}`,
})
