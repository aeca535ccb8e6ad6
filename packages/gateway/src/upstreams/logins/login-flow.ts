// One login: the upstream names its authorization server, a person logs in there and returns, and the upstream accepts the token.
import { type Credentials, TransportError } from 'toolwire/client'
import { type AuthorizationPrompt, oauth } from 'toolwire/client/oauth'
import type { UpstreamConfig, UpstreamLogin } from '../../config/gateway-config.js'
import { openClient } from '../open-client.js'
import { renewingCredentials } from './renewing-credentials.js'
import { oauthClientOptions } from './stored-credentials.js'

type LoginFlowOptions = {
  readonly version: string
  readonly upstream: UpstreamConfig
  readonly url: string
  readonly login: UpstreamLogin
  readonly redirectUri: string
  readonly scopes: readonly string[]
  /** The authorization server that received the client's credentials before. */
  readonly issuer?: string
  /** Ends the login. */
  readonly signal: AbortSignal
}

/** A login that waits for the person to return. */
export type LoginFlow = Awaited<ReturnType<typeof beginLoginFlow>>

/** Time that a person has for a login. */
export const loginTimeoutMs = 600_000

/** Starts a login. Its tokens are kept apart until it succeeds, so that a failed login leaves the earlier one unchanged. */
export async function beginLoginFlow(options: LoginFlowOptions) {
  const { scopes, login } = options
  const tokens = new Map<string, string>()
  const person = browserConsent()
  const written = { count: 0 }
  const set = (key: string, value: string) => {
    tokens.set(key, value)
    written.count++
  }
  const inner = oauth({
    ...oauthClientOptions(login, options),
    store: { get: (key) => tokens.get(key), set, delete: (key) => void tokens.delete(key) },
    ...(scopes.length > 0 && { scopes }),
    authorizeTimeoutMs: loginTimeoutMs,
    authorize: (page, about) => person.ask(page, about),
  })
  const credentials = renewingCredentials({ inner, written, over: tokenRejected })
  const entered = openWithLogin({ ...options, credentials, person })
  entered.catch(() => undefined) // begin or finish reports the error
  const { page, about } = await Promise.race([person.asked, entered.then(noLoginNeeded)])
  return {
    page,
    about: { issuer: about.issuer, scopes: about.scopes },
    /** Returns the tokens to store, once the upstream has accepted the new token. */
    async finish(address: string): Promise<ReadonlyMap<string, string>> {
      person.returnTo(address)
      await entered
      return tokens
    },
  }
}

type OpenWithLogin = Pick<LoginFlowOptions, 'version' | 'upstream' | 'url' | 'signal'> & {
  readonly credentials: Credentials
  readonly person: BrowserConsent
}

async function openWithLogin({ version, upstream, url, credentials, person, signal }: OpenWithLogin): Promise<void> {
  try {
    const options = { auth: credentials, clientInfo: { name: 'toolwire', version } }
    await using _ = await openClient({ config: upstream, options, signal })
    // The server allows anonymous access, so the login is started as if it had refused.
    if (!person.wasAsked) await credentials.refused({ server: url, url, httpMethod: 'POST', status: 401, ...noChallenge })
  } catch (thrown) {
    throw reportedCause(thrown)
  }
}

const noChallenge = { sent: {}, wwwAuthenticate: undefined, method: undefined, header: () => undefined } as const

const tokenRejected = () => new Error('The server rejected the token that its authorization server issued')

const noLoginNeeded = (): never => {
  throw new Error('The server accepted the connection without a login')
}

/** The transport's error is about a request that the user did not make, so its cause is reported instead. */
function reportedCause(thrown: unknown): unknown {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  if (cause instanceof TransportError && cause.code === 'unauthorized' && cause.cause instanceof Error) return cause.cause
  return thrown
}

type LoginPage = { readonly page: URL; readonly about: AuthorizationPrompt }
type BrowserConsent = ReturnType<typeof browserConsent>

/** Asks only once: if the server rejects the token of its own authorization server, another login would not help. */
function browserConsent() {
  const asked = deferred<LoginPage>()
  const answer = deferred<string>()
  const consent = {
    wasAsked: false,
    asked: asked.promise,
    returnTo: answer.resolve,
    async ask(page: URL, about: AuthorizationPrompt): Promise<string> {
      if (consent.wasAsked) throw tokenRejected()
      consent.wasAsked = true
      asked.resolve({ page, about })
      return answer.promise
    },
  }
  return consent
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
