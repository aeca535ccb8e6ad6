import { authorizationCodeGrantRequest, refreshTokenGrantRequest, validateAuthResponse } from 'oauth4webapi'
import { withDeadline } from '../../../bounds/deadline.js'
import { longestTimer } from '../../../bounds/longest-timer.js'
import type { Credentials } from '../../../peer/client-transport.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { atLeast, someFunction, someText, trueOrFalse } from '../../../tools/checks/option-values.js'
import { authorizationRequest, checkedAuthorizationAnswer } from '../authorize/authorization-request.js'
import { oauthCredentials } from '../oauth-credentials.js'
import { isRefusedToken, OAuthFailure } from '../oauth-failure.js'
import { type ClientIdentity, clientAuth } from '../registration/client-identity.js'
import { checkClientIdUrl, checkRedirectUri } from '../registration/client-metadata-document.js'
import {
  checkPreRegistered,
  existingIdentity,
  type IdentitySources,
  identify,
  type PreRegistered,
} from '../registration/identify.js'
import { askForTokens, type TokenEndpoint } from '../tokens/token-endpoint.js'
import { type Tokens, tokensFrom } from '../tokens/tokens.js'
import { type AccessOptions, accessValues, type GrantTarget, type TokenGrant } from './token-grant.js'

/** Options for authorization by a person. */
export type OAuthOptions = AccessOptions & {
  /** The URL that the person comes back to: https, or http on a loopback address. */
  redirectUri: string
  /** Sends the person to the page, and resolves with the full URL that they were redirected to. */
  authorize: (url: URL, about: AuthorizationPrompt) => Promise<URL | string>
  /** The name that this client registers with, shown to the person. */
  clientName?: string
  /** A client that is already registered. */
  client?: PreRegistered
  /** An https URL that serves a `clientMetadataDocument`. */
  clientIdMetadataUrl?: string
  /** Requests a refresh token if the authorization server supports `offline_access`. */
  offlineAccess?: boolean
  /** Longest time that the person may take; five minutes by default. */
  authorizeTimeoutMs?: number
}

/** The details of the authorization that a person is asked for. */
export type AuthorizationPrompt = {
  server: string
  issuer: string
  scopes: readonly string[]
  /** Aborts when the time for the answer is over. */
  signal: AbortSignal
}

export const oauthOptions = optionsOf<OAuthOptions>()('client', accessValues, {
  'redirectUri clientName clientIdMetadataUrl': someText,
  authorize: someFunction,
  offlineAccess: trueOrFalse,
  authorizeTimeoutMs: atLeast(0),
})
const usualTimeoutMs = 5 * 60_000

/**
 * Credentials that a person grants in their browser, by authorization code with PKCE.
 *
 * @example
 * ```ts
 * const credentials = oauth({ redirectUri: 'http://127.0.0.1:8976/callback', authorize: loopbackAuthorize() })
 * const shop = await connect('https://shop.example/mcp', { auth: credentials })
 * ```
 */
export function oauth(options: OAuthOptions): Credentials {
  checkOptions('oauth()', options, oauthOptions)
  checkPreRegistered(options.client)
  checkRedirectUri(options.redirectUri)
  if (options.clientIdMetadataUrl !== undefined) checkClientIdUrl(options.clientIdMetadataUrl)
  return oauthCredentials(codeGrant(options), options)
}

function codeGrant(options: OAuthOptions): TokenGrant {
  const { client, clientIdMetadataUrl, redirectUri, clientName = 'Toolwire' } = options
  const us: IdentitySources = { client, clientIdMetadataUrl, redirectUri, clientName }
  return {
    client,
    unattended: false,
    obtain: (target) => asClient(us, target, (identity) => authorizeInBrowser(options, identity, target)),
    async refresh(target, tokens) {
      try {
        return await asClient(us, target, (identity) => refreshTokens(endpointOf(identity, target), target, tokens))
      } catch (thrown) {
        if (isRefusedToken(thrown, ['invalid_grant'])) return undefined
        // A refresh token ends with the registration that it was issued to.
        if (isRefusedToken(thrown, clientRefusals) && !(await existingIdentity(target.as, us, target.vault))) return undefined
        throw thrown
      }
    },
  }
}

const clientRefusals = ['invalid_client', 'unauthorized_client']

/** Drops a registration that the authorization server no longer knows, so that the next attempt registers again. */
async function asClient(us: IdentitySources, target: GrantTarget, act: (identity: ClientIdentity) => Promise<Tokens>) {
  const { as, vault, egress } = target
  const identity = await identify(as, us, vault, egress)
  return act(identity).catch(async (thrown: unknown) => {
    const isForgotten = thrown instanceof OAuthFailure && clientRefusals.includes(thrown.oauthError ?? '')
    if (isForgotten) await vault.registration.drop(as.issuer, us.redirectUri)
    throw thrown
  })
}

async function authorizeInBrowser(options: OAuthOptions, identity: ClientIdentity, target: GrantTarget): Promise<Tokens> {
  const { redirectUri } = options
  const { scopes, resource } = target
  const { url, record } = await authorizationRequest(target, { clientId: identity.clientId, redirectUri })
  const parameters = checkedAuthorizationAnswer(await ask(options, url, target), record)
  const at = endpointOf(identity, target)
  const answer = await askForTokens(at, (sending) => {
    const answered = validateAuthResponse(at.as, at.client, parameters, record.state)
    const withResource = { ...sending, additionalParameters: { resource } }
    return authorizationCodeGrantRequest(at.as, at.client, at.auth, answered, redirectUri, record.verifier, withResource)
  })
  return tokensFrom(answer, scopes)
}

/** Asks the person, with a timeout because they may never come back. */
async function ask(options: OAuthOptions, url: URL, { server, as, scopes }: GrantTarget): Promise<URL | string> {
  const ms = options.authorizeTimeoutMs ?? usualTimeoutMs
  const signal = AbortSignal.timeout(Math.min(ms, longestTimer))
  return withDeadline(ms, options.authorize(url, { server, issuer: as.issuer, scopes, signal }), () => {
    throw new OAuthFailure('timed_out', `The authorization request was not answered within ${ms} ms (authorizeTimeoutMs)`)
  })
}

const endpointOf = (identity: ClientIdentity, { as, egress, proofs }: GrantTarget): TokenEndpoint => ({
  as,
  client: { client_id: identity.clientId },
  auth: clientAuth(identity, as),
  egress,
  proofs,
})

/** Refreshes tokens. A refresh token that is not replaced stays valid. */
async function refreshTokens(at: TokenEndpoint, target: GrantTarget, tokens: Tokens & { refresh: string }): Promise<Tokens> {
  const additionalParameters = { resource: target.resource }
  const answer = await askForTokens(at, (options) =>
    refreshTokenGrantRequest(at.as, at.client, at.auth, tokens.refresh, { ...options, additionalParameters }),
  )
  const fresh = tokensFrom(answer, tokens.scopes)
  return { ...fresh, refresh: fresh.refresh ?? tokens.refresh }
}
