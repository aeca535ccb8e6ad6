import type { JWTPayload } from 'jose'
import type { JsonObject } from '../json.js'
import { definitionError } from '../tools/checks/definition-error.js'
import { checkOptions, optionsOf } from '../tools/checks/known-options.js'
import { atLeast, either, oneOf, someFunction, someObject, someText, someTexts } from '../tools/checks/option-values.js'
import { secureUrl } from '../tools/checks/secure-url.js'
import type { Authenticate, Denial, HttpOptions, ResourceOptions } from '../transports/http/server/options.js'
import { bearerToken, invalidToken } from './bearer.js'
import { callerOf, isSenderConstrained, type OtherAudiences, wrongAudience } from './claims.js'
import { type AuthFetch, FetchUnavailable } from './fetch-object.js'
import { loadJose } from './jose.js'
import { keyRing } from './key-ring.js'
import { keySource } from './key-source.js'

export type BearerJwtOptions = {
  /** The exact `iss` of the tokens. */
  readonly issuer: string
  /** Our own URL, exactly as the tokens name it as their audience. */
  readonly resource: string
  /** Our names at the authorization server, if they are not our URL. A function is called for each token. */
  readonly audience?: string | readonly string[] | (() => readonly string[])
  /** Other audiences that a token may name; each of these servers could use the token here. Default: none. */
  readonly otherAudiences?: OtherAudiences
  /** The keys of the issuer, or their URL. Default: the URL in the issuer's metadata. */
  readonly jwks?: string | JsonObject
  /** Algorithms of asymmetric signatures. Default: every safe one. */
  readonly algorithms?: readonly string[]
  /** Tolerated difference between clocks. Default: 60. */
  readonly clockSkewSeconds?: number
  readonly fetch?: AuthFetch
  readonly now?: () => number
}

/** The kinds of values that `introspection` has as well. */
export const audienceValues = {
  issuer: someText,
  otherAudiences: either(oneOf('any'), someTexts),
  'fetch now': someFunction,
} as const
const jwtValues = {
  audience: either(someText, someTexts, someFunction),
  jwks: either(someText, someObject),
  algorithms: someTexts,
  clockSkewSeconds: atLeast(0),
} as const
const known = optionsOf<BearerJwtOptions>()(audienceValues, jwtValues, { resource: someText })
const safeAlgorithms = ['RS', 'PS', 'ES']
  .flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`))
  .concat('EdDSA', 'Ed25519')
/** Only `typ` distinguishes access tokens from other JWTs of the same issuer, such as logout tokens. */
const isAccess = (type: unknown): boolean =>
  type === undefined || (typeof type === 'string' && /^(application\/)?(at\+)?jwt$/i.test(type))
const unreachable: Denial = {
  denied: 'temporarily_unavailable',
  description: 'The keys of the authorization server cannot be fetched now',
  retryAfterMs: 30_000,
}

/**
 * Accepts signed access tokens of an authorization server (RFC 9068). Needs the package `jose`.
 *
 * @example
 * ```ts
 * bearerJwt({ issuer: 'https://auth.example', resource: 'https://shop.example/mcp' })
 * ```
 */
export function bearerJwt(options: BearerJwtOptions): Authenticate {
  checkOptions('bearerJwt()', options, known)
  const { issuer, resource, audience = resource, otherAudiences, jwks, clockSkewSeconds = 60, now = Date.now } = options
  secureUrl(issuer, 'issuer')
  if (typeof jwks === 'string') secureUrl(jwks, 'jwks')
  const findKey = keyRing(keySource(issuer, jwks, options.fetch), now)
  const ours = () => [typeof audience === 'function' ? audience() : audience].flat()
  const rules = {
    issuer,
    algorithms: checkedAlgorithms(options.algorithms ?? safeAlgorithms),
    clockTolerance: clockSkewSeconds,
    requiredClaims: ['exp', 'sub'],
  }
  const callerIn = (claims: JWTPayload, audience: readonly string[]) => {
    const wrong = wrongAudience(claims.aud, { ours: audience, others: otherAudiences })
    if (wrong !== undefined) return invalidToken(wrong)
    if (isSenderConstrained(claims)) return invalidToken('The token is bound to a key, so it is not a bearer token')
    const expiresAt = ((claims.exp ?? 0) + clockSkewSeconds) * 1_000
    return callerOf(issuer, claims, expiresAt) ?? invalidToken('The token names no subject')
  }
  return async (request) => {
    const token = bearerToken(request)
    if (typeof token !== 'string') return token
    const { jwtVerify, decodeJwt } = await loadJose()
    if (issuerOf(token, decodeJwt) !== issuer) return undefined
    const audience = ours()
    try {
      const { payload, protectedHeader } = await jwtVerify(token, findKey, { ...rules, audience, currentDate: new Date(now()) })
      return isAccess(protectedHeader.typ) ? callerIn(payload, audience) : invalidToken('The token is not an access token')
    } catch (thrown) {
      return thrown instanceof FetchUnavailable ? unreachable : denialOf(thrown)
    }
  }
}

/** The unverified issuer of a token, which only decides whether this authenticator is responsible for the token. */
function issuerOf(token: string, decode: (token: string) => JWTPayload): string | undefined {
  try {
    return decode(token).iss
  } catch {
    return undefined // not a JWT, so another authenticator may know it
  }
}

/** Uses our own messages, because those of the library may quote claims. */
function denialOf(thrown: unknown): Denial {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_JWT_EXPIRED')
    return invalidToken('The token has expired')
  const claim = thrown instanceof Error && 'claim' in thrown ? thrown.claim : undefined
  if (claim === 'aud') return invalidToken('The token is for another server')
  return invalidToken(claim === 'nbf' ? 'The token is not valid yet' : 'The token is invalid')
}

/** Refuses `none` and shared secrets, with which every verifier could sign. RFC 8725, sections 3.1 and 3.2 */
function checkedAlgorithms(algorithms: readonly string[]): string[] {
  const unsound = algorithms.find((algorithm) => !safeAlgorithms.includes(algorithm))
  if (unsound !== undefined)
    throw definitionError(`bearerJwt: "${unsound}" is not a safe signature algorithm; use some of ${safeAlgorithms.join(' ')}`)
  if (algorithms.length === 0) throw definitionError('bearerJwt: `algorithms` is empty; name at least one')
  return [...algorithms]
}

export type OAuthResourceOptions = Omit<ResourceOptions, 'authorizationServers'> & Omit<BearerJwtOptions, 'resource'>

const resourceOptions = optionsOf<OAuthResourceOptions>()(audienceValues, jwtValues, {
  'url name documentation': someText,
  scopes: someTexts,
  stepUp: oneOf('hide', 'challenge'),
  authorizationServerMetadata: someObject,
})

/**
 * Creates the HTTP options of an endpoint that accepts the tokens of an authorization server and tells clients where to get them.
 *
 * @example
 * ```ts
 * await listen(app, oauthResource({ url: 'https://shop.example/mcp', issuer: 'https://auth.example' }))
 * ```
 */
export function oauthResource(options: OAuthResourceOptions): Required<Pick<HttpOptions, 'authenticate' | 'resource'>> {
  checkOptions('oauthResource()', options, resourceOptions)
  const { issuer, audience, otherAudiences, jwks, algorithms, clockSkewSeconds, fetch, now, ...resource } = options
  const tokens = { issuer, audience, otherAudiences, jwks, algorithms, clockSkewSeconds, fetch, now }
  return {
    authenticate: bearerJwt({ ...tokens, resource: resource.url }),
    resource: { ...resource, authorizationServers: [issuer] },
  }
}
