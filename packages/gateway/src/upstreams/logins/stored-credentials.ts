// What an upstream is shown of a login while the gateway runs: nobody is asked, and a refused token is renewed once.
import type { Credentials } from 'toolwire/client'
import { type OAuthOptions, oauth, type TokenStore } from 'toolwire/client/oauth'
import type { UpstreamLogin } from '../../config/gateway-config.js'
import { withoutUndefined } from '../../json/without-undefined.js'
import { currentTokenStore } from './current-token-store.js'
import { type LoginOwner, loginExpired, moreScopesNeeded, notLoggedIn } from './login-messages.js'
import type { StoredLogin } from './login-store.js'
import { NeedsLogin } from './needs-login.js'
import { renewingCredentials } from './renewing-credentials.js'

type LoginContext = {
  readonly whose: LoginOwner
  readonly login: UpstreamLogin
  readonly kept: StoredLogin | undefined
  readonly store: TokenStore
  /** Whether the login is still this one. */
  readonly isCurrent: () => boolean
}

export function storedCredentials(holding: LoginContext): Credentials {
  const { whose, login, kept } = holding
  return kept ? alone(holding, oauthClientOptions(login, kept)) : nobodys(whose)
}

/** How the authorization server knows us, for a login that was or will be. */
export function oauthClientOptions(login: UpstreamLogin, { redirectUri, issuer }: { redirectUri: string; issuer?: string }) {
  const { clientId, clientSecret } = login
  const usual = { redirectUri, clientName: 'Toolwire', offlineAccess: true }
  if (clientId === undefined) return usual
  return { ...usual, client: withoutUndefined({ clientId, clientSecret, issuer: login.issuer ?? issuer }) }
}

/** Some servers want nothing of those who only look, so that it is left to them to say so. */
const nobodys = (whose: LoginOwner): Credentials => ({
  headers: () => ({}),
  async refused({ status }) {
    if (status === 401) throw new NeedsLogin(notLoggedIn(whose))
    return false
  },
})

/** A person would have to be asked, and none is there. */
class NoCredentials extends Error {
  readonly scopes: readonly string[]

  constructor(scopes: readonly string[]) {
    super('Nobody is here who could log in')
    this.scopes = scopes
  }
}

/** What only a person could agree to has to wait for one. */
function alone({ whose, store, isCurrent }: LoginContext, client: ReturnType<typeof oauthClientOptions>): Credentials {
  const written = { count: 0 }
  const onSet = () => void written.count++
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
  return renewingCredentials({ inner: { ...inner, refused }, written, over: () => new NeedsLogin(loginExpired(whose)) })
}
