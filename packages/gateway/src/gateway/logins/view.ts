import type { UpstreamLogin } from '../../config/config.js'
import type { LoginView, ServerLogins } from '../../door/logins.js'
import type { KeptLogin, KeptLogins } from './kept.js'

/** What may be seen of the logins to a server. */
export function viewOf(server: string, { perUser }: UpstreamLogin, kept: ReturnType<KeptLogins['of']>): ServerLogins {
  const own = kept.find(({ whose }) => whose.user === undefined)
  const users = kept.flatMap(({ whose: { user }, login }) => (user === undefined ? [] : [{ user, ...seen(login) }]))
  return { server, perUser, loggedIn: own !== undefined, ...(own && { login: seen(own.login) }), users }
}

const seen = ({ since, issuer, scopes }: KeptLogin): LoginView => ({ since, issuer, scopes })
