// What an upstream is shown of a login while the gateway runs: nobody is asked, and a refused token is renewed once.
import type { Credentials } from 'toolwire/client'
import { type OAuthOptions, oauth, type TokenStore } from 'toolwire/client/oauth'
import type { UpstreamLogin } from '../../config/config.js'
import { NeedsLogin } from '../../upstreams/needs-login.js'
import type { KeptLogin } from './kept.js'
import { renewedStore } from './renewed-store.js'
import { Renewing } from './renewing.js'
import { moreSaid, neverSaid, overSaid, type Whose } from './words.js'

export type Holding = {
  readonly whose: Whose
  readonly login: UpstreamLogin
  readonly kept: KeptLogin | undefined
  readonly store: TokenStore
  /** Whether the login is still this one. */
  readonly isCurrent: () => boolean
}

export function keptCredentials(holding: Holding): Credentials {
  const { whose, login, kept } = holding
  return kept ? alone(holding, clientOf(login, kept)) : nobodys(whose)
}

/** How the authorization server knows us, for a login that was or will be. */
export function clientOf(
  { clientId, clientSecret, issuer }: UpstreamLogin,
  { redirectUri, issuer: known }: { readonly redirectUri: string; readonly issuer?: string },
): Pick<OAuthOptions, 'redirectUri' | 'clientName' | 'offlineAccess' | 'client'> {
  const home = issuer ?? known
  return {
    redirectUri,
    clientName: 'Toolwire',
    offlineAccess: true,
    ...(clientId !== undefined && {
      client: { clientId, ...(clientSecret !== undefined && { clientSecret }), ...(home !== undefined && { issuer: home }) },
    }),
  }
}

/** Some servers want nothing of those who only look, so that it is left to them to say so. */
const nobodys = (whose: Whose): Credentials => ({
  headers: () => ({}),
  async refused({ status }) {
    if (status === 401) throw new NeedsLogin(neverSaid(whose))
    return false
  },
})

/** A person would have to be asked, and none is there. */
class Nobody extends Error {
  readonly scopes: readonly string[]

  constructor(scopes: readonly string[]) {
    super('Nobody is here who could log in')
    this.scopes = scopes
  }
}

/** What only a person could agree to has to wait for one. */
function alone({ whose, store, isCurrent }: Holding, client: ReturnType<typeof clientOf>): Credentials {
  const written = { count: 0 }
  const onSet = () => void written.count++
  const authorize: OAuthOptions['authorize'] = async (_page, { scopes }) => {
    throw new Nobody(scopes)
  }
  const inner = oauth({ ...client, store: renewedStore(store, { isCurrent, onSet }), authorize })
  const refused: Credentials['refused'] = (challenge) =>
    inner.refused(challenge).catch((thrown: unknown) => {
      if (!(thrown instanceof Nobody)) throw thrown
      if (challenge.status === 401) return false
      throw new Error(moreSaid(whose, thrown.scopes), { cause: thrown })
    })
  return new Renewing({ inner: { ...inner, refused }, written, over: () => new NeedsLogin(overSaid(whose)) })
}
