// The credentials of a stored login while the gateway runs: no person is asked, and a refused token is renewed once.
import type { Credentials } from 'toolwire/client'
import { type OAuthOptions, oauth, type TokenStore } from 'toolwire/client/oauth'
import type { UpstreamLogin } from '../../config/gateway-config.js'
import { withoutUndefined } from '../../json/without-undefined.js'
import { currentTokenStore } from './current-token-store.js'
import { type LoginOwner, loginRejected, moreScopesNeeded, notLoggedIn } from './login-messages.js'
import type { StoredLogin } from './login-store.js'
import { NeedsLogin } from './needs-login.js'
import { renewingCredentials } from './renewing-credentials.js'

type LoginContext = {
  readonly whose: LoginOwner
  readonly login: UpstreamLogin
  readonly kept: StoredLogin | undefined
  readonly store: TokenStore
  /** Is the login still the same? */
  readonly isCurrent: () => boolean | Promise<boolean>
}

export function storedCredentials(context: LoginContext): Credentials {
  const { whose, login, kept } = context
  return kept ? unattendedCredentials(context, oauthClientOptions(login, kept)) : missingCredentials(whose)
}

/** The client data for the authorization server, for an existing or a new login. */
export function oauthClientOptions(login: UpstreamLogin, { redirectUri, issuer }: { redirectUri: string; issuer?: string }) {
  const { clientId, clientSecret } = login
  const usual = { redirectUri, clientName: 'Toolwire', offlineAccess: true }
  if (clientId === undefined) return usual
  return { ...usual, client: withoutUndefined({ clientId, clientSecret, issuer: login.issuer ?? issuer }) }
}

/** Without a login, requests are sent without credentials, because some servers allow anonymous listing. */
const missingCredentials = (whose: LoginOwner): Credentials => ({
  headers: () => ({}),
  async refused({ status }) {
    if (status === 401) throw new NeedsLogin(notLoggedIn(whose))
    return false
  },
})

/** Thrown when only a person could authorize the request. */
class NoCredentials extends Error {
  readonly scopes: readonly string[]

  constructor(scopes: readonly string[]) {
    super('No user is present to log in')
    this.scopes = scopes
  }
}

/** Credentials without a person: consent that only a person can give is refused. */
function unattendedCredentials(
  { whose, store, isCurrent }: LoginContext,
  client: ReturnType<typeof oauthClientOptions>,
): Credentials {
  const written = { count: 0 }
  // Tokens that another replica has renewed are not new: they may be refused, and renewed here.
  const onSet = (key: string) => {
    if (key.startsWith('tokens ')) written.count++
  }
  const authorize: OAuthOptions['authorize'] = async (_page, { scopes }) => {
    throw new NoCredentials(scopes)
  }
  const inner = oauth({ ...client, store: currentTokenStore(store, { isCurrent, onSet }), authorize })
  const refused: Credentials['refused'] = (challenge) =>
    inner.refused(challenge).catch((thrown: unknown) => {
      if (!(thrown instanceof NoCredentials)) throw thrown
      if (challenge.status === 401) return false
      throw new Error(moreScopesNeeded(whose, thrown.scopes), { cause: thrown })
    })
  return renewingCredentials({ inner: { ...inner, refused }, written, over: () => new NeedsLogin(loginRejected(whose)) })
}
