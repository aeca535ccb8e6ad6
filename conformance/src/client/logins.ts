// Scenarios with a login. Each lists the tools and calls one, which triggers the login.
import { type ConnectOptions, connect } from 'toolwire/client'
import { clientCredentials, enterpriseManaged, type OAuthOptions, oauth, workloadIdentity } from 'toolwire/client/oauth'
import { agree, redirectUri } from './person.js'
import { type Context, type Play, textOf } from './play.js'
import { refused } from './refused.js'

/** The usual login: most scenarios differ only in the server. */
export const usual: Play = byPerson()

const logins: Readonly<Record<string, Play>> = {
  'auth/basic-cimd': byPerson(() => ({ clientIdMetadataUrl: 'https://conformance-test.local/client-metadata.json' })),
  'auth/pre-registration': byPerson((context) => ({ client: { ...clientIn(context), issuer: textOf(context, 'issuer') } })),
  'auth/scope-retry-limit': refused(usual, 403),
  'auth/resource-mismatch': refused(usual, 'wrong_resource'),
  'auth/metadata-issuer-mismatch': refused(usual, 'wrong_issuer'),
  'auth/iss-supported-missing': refused(usual, 'bad_answer'),
  'auth/iss-wrong-issuer': refused(usual, 'wrong_issuer'),
  'auth/iss-unexpected': refused(usual, 'wrong_issuer'),
  'auth/iss-normalized': refused(usual, 'wrong_issuer'),
  'auth/dpop': byPerson(() => ({ dpop: true })),
  'auth/dpop-nonce': byPerson(() => ({ dpop: true })),
  'auth/client-credentials-basic': login((context) => clientCredentials(clientIn(context))),
  'auth/client-credentials-jwt': login((context) =>
    clientCredentials({
      clientId: textOf(context, 'client_id'),
      privateKey: textOf(context, 'private_key_pem'),
      algorithm: textOf(context, 'signing_algorithm'),
    }),
  ),
  'auth/enterprise-managed-authorization': login((context) =>
    enterpriseManaged({ client: clientIn(context), identityProvider: providerIn(context) }),
  ),
  'auth/wif-jwt-bearer': login((context) =>
    workloadIdentity({ clientId: textOf(context, 'client_id'), assertion: () => textOf(context, 'valid_jwt') }),
  ),
}

export const plays: ReadonlyMap<string, Play> = new Map(Object.entries(logins))

const clientIn = (context: Context) => ({
  clientId: textOf(context, 'client_id'),
  clientSecret: textOf(context, 'client_secret'),
})

const providerIn = (context: Context) => ({
  issuer: textOf(context, 'idp_issuer'),
  tokenEndpoint: textOf(context, 'idp_token_endpoint'),
  clientId: textOf(context, 'idp_client_id'),
  idToken: () => textOf(context, 'idp_id_token'),
})

function byPerson(more: (context: Context) => Partial<OAuthOptions> = () => ({})): Play {
  return login((context) => oauth({ redirectUri, authorize: agree, offlineAccess: true, ...more(context) }))
}

function login(credentials: (context: Context) => ConnectOptions['auth']): Play {
  return async ({ url, context }) => {
    await using client = await connect(url, { auth: credentials(context) })
    await client.listTools()
    await client.call('test-tool')
  }
}
