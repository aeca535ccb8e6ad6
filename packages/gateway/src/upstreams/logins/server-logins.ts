import type { UpstreamLogin } from '../../config/gateway-config.js'
import type { LoginStore, StoredLogin } from './login-store.js'
import type { LoginView, ServerLogins } from './logins.js'

/** What may be seen of the logins to a server. */
export function serverLoginsOf(server: string, { perUser }: UpstreamLogin, kept: ReturnType<LoginStore['of']>): ServerLogins {
  const own = kept.find(({ whose }) => whose.user === undefined)
  const users = kept.flatMap(({ whose: { user }, login }) => (user === undefined ? [] : [{ user, ...seen(login) }]))
  return { server, perUser, loggedIn: own !== undefined, ...(own && { login: seen(own.login) }), users }
}

const seen = ({ since, issuer, scopes }: StoredLogin): LoginView => ({ since, issuer, scopes })
