import type { UpstreamConfig, UpstreamLogin } from '../../config/gateway-config.js'
import { waitingServerLine } from '../../config/trust/trust-messages.js'
import type { UntrustedPart } from '../../config/trust/untrusted-parts.js'
import type { LoginOwner } from './login-messages.js'
import { LoginFailure } from './logins.js'

/** The login settings of an upstream; undefined if it has none. */
export function loginConfigOf({ target }: UpstreamConfig): UpstreamLogin | undefined {
  return target.kind !== 'child' && typeof target.auth === 'object' ? target.auth : undefined
}

/** The servers of the config in force, and the parts that wait for acceptance. */
export type LoginServers = {
  readonly upstreams: () => readonly UpstreamConfig[]
  readonly waiting: () => readonly UntrustedPart[]
}
type LoginTarget = { readonly upstream: UpstreamConfig; readonly url: string; readonly login: UpstreamLogin }

/** The upstream to log in to; throws if the config has no login for it. */
export function loginUpstream({ upstreams, waiting }: LoginServers, { server, user }: LoginOwner): LoginTarget {
  const untrusted = waitingServerLine(server, waiting())
  if (untrusted !== undefined) throw new LoginFailure('unfit', untrusted)
  const upstream = upstreams().find(({ id }) => id === server)
  if (!upstream) throw new LoginFailure('unknown', `There is no server "${server}" in the config`)
  const login = loginConfigOf(upstream)
  if (!login || upstream.target.kind === 'child')
    throw new LoginFailure('unfit', `${server} has no login. To add one, set "auth": "oauth" under toolwire.servers`)
  if (user !== undefined && !login.perUser)
    throw new LoginFailure(
      'unfit',
      `All callers share one login to ${server}. Omit the user, or set "perUser": true in the auth of the server`,
    )
  return { upstream, login, url: upstream.target.url }
}
