import type { JWTPayload } from 'jose'
import type { JsonObject } from '../json.js'
import { definitionError } from '../tools/checks/definition-error.js'
import { secureUrl } from '../tools/checks/secure-url.js'
import type { Authenticate, Denial, HttpOptions, ResourceOptions } from '../transports/http/server/options.js'
import { bearerToken, invalidToken } from './bearer.js'
import { callerOf, isSenderConstrained, type OtherAudiences, wrongAudience } from './claims.js'
import { type AuthFetch, FetchUnavailable } from './fetch-object.js'
import { loadJose } from './jose.js'
import { keyRing } from './key-ring.js'
import { keySource } from './key-source.js'

/** Whose tokens are taken, and whom they must be for. */
export type BearerJwtOptions = {
  /** The `iss` of the tokens, to the letter. */
  readonly issuer: string
  /** Our own URL, which the tokens name as their audience, to the letter. */
  readonly resource: string
  /** Where the authorization server has another name for us than our URL. */
  readonly audience?: string | readonly string[]
  /** Servers that a token may be for as well: each of them could use it here. Such tokens are refused if not said. */
  readonly otherAudiences?: OtherAudiences
  /** The keys of the issuer, or their address; found by its metadata if not said. */
  readonly jwks?: string | JsonObject
  /** Of asymmetric signatures; every sound one if not said. */
  readonly algorithms?: readonly string[]
  /** By how much clocks may differ; 60 if not said. */
  readonly clockSkewSeconds?: number
  readonly fetch?: AuthFetch
  readonly now?: () => number
}

const safeAlgorithms = ['RS', 'PS', 'ES']
  .flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`))
  .concat('EdDSA', 'Ed25519')
/** Other JWTs of the same issuer, such as logout tokens, look like access tokens in all but this. */
const isAccess = (type: unknown): boolean =>
  type === undefined || (typeof type === 'string' && /^(application\/)?(at\+)?jwt$/i.test(type))
const unreachable: Denial = {
  denied: 'temporarily_unavailable',
  description: 'The keys of the authorization server cannot be had now',
  retryAfterMs: 30_000,
}

/**
 * Takes the signed access tokens of an authorization server (RFC 9068). Needs the package `jose`.
 *
 * @example
 * ```ts
 * bearerJwt({ issuer: 'https://auth.example', resource: 'https://shop.example/mcp' })
 * ```
 */
export function bearerJwt(options: BearerJwtOptions): Authenticate {
  const { issuer, resource, audience = resource, otherAudiences, jwks, clockSkewSeconds = 60, now = Date.now } = options
  secureUrl(issuer, 'issuer')
  if (typeof jwks === 'string') secureUrl(jwks, 'jwks')
  const findKey = keyRing(keySource(issuer, jwks, options.fetch), now)
  const ours = [audience].flat()
  const rules = {
    issuer,
    audience: ours,
    algorithms: checkedAlgorithms(options.algorithms ?? safeAlgorithms),
    clockTolerance: clockSkewSeconds,
    requiredClaims: ['exp', 'sub'],
  }
  const callerIn = (claims: JWTPayload) => {
    const wrong = wrongAudience(claims.aud, { ours, others: otherAudiences })
    if (wrong !== undefined) return invalidToken(wrong)
    if (isSenderConstrained(claims)) return invalidToken('The token is bound to a key, so it is no bearer token')
    const expiresAt = ((claims.exp ?? 0) + clockSkewSeconds) * 1_000
    return callerOf(issuer, claims, expiresAt) ?? invalidToken('The token names no subject')
  }
  return async (request) => {
    const token = bearerToken(request)
    if (typeof token !== 'string') return token
    const { jwtVerify, decodeJwt } = await loadJose()
    if (issuerOf(token, decodeJwt) !== issuer) return undefined
    try {
      const { payload, protectedHeader } = await jwtVerify(token, findKey, { ...rules, currentDate: new Date(now()) })
      return isAccess(protectedHeader.typ) ? callerIn(payload) : invalidToken('The token is no access token')
    } catch (thrown) {
      return thrown instanceof FetchUnavailable ? unreachable : denialOf(thrown)
    }
  }
}

/** What the token says of itself, to know whose it is to judge; nothing of it is believed yet. */
function issuerOf(token: string, decode: (token: string) => JWTPayload): string | undefined {
  try {
    return decode(token).iss
  } catch {
    return undefined // it is no JWT, so another way may know it
  }
}

/** Uses our own words, because messages of the library may quote claims. */
function denialOf(thrown: unknown): Denial {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_JWT_EXPIRED')
    return invalidToken('The token has expired')
  const claim = thrown instanceof Error && 'claim' in thrown ? thrown.claim : undefined
  if (claim === 'aud') return invalidToken('The token is for another server')
  return invalidToken(claim === 'nbf' ? 'The token does not hold yet' : 'The token does not hold')
}

/** A secret shared with everyone who verifies would let each of them sign; `none` would let anyone. RFC 8725, sections 3.1 and 3.2 */
function checkedAlgorithms(algorithms: readonly string[]): string[] {
  const unsound = algorithms.find((algorithm) => !safeAlgorithms.includes(algorithm))
  if (unsound !== undefined)
    throw definitionError(
      `bearerJwt: "${unsound}" is no algorithm to trust published keys with; use some of ${safeAlgorithms.join(' ')}`,
    )
  if (algorithms.length === 0) throw definitionError('bearerJwt: without algorithms no token can ever hold')
  return [...algorithms]
}

/** One authorization server, and the endpoint that takes its tokens. */
export type OAuthResourceOptions = Omit<ResourceOptions, 'authorizationServers'> & Omit<BearerJwtOptions, 'resource'>

/**
 * What an endpoint needs to take the tokens of an authorization server: it checks them, and tells clients where to get them.
 *
 * @example
 * ```ts
 * await listen(app, oauthResource({ url: 'https://shop.example/mcp', issuer: 'https://auth.example' }))
 * ```
 */
export function oauthResource(options: OAuthResourceOptions): Required<Pick<HttpOptions, 'authenticate' | 'resource'>> {
  const { issuer, audience, otherAudiences, jwks, algorithms, clockSkewSeconds, fetch, now, ...resource } = options
  return {
    authenticate: bearerJwt({ ...options, resource: resource.url }),
    resource: { ...resource, authorizationServers: [issuer] },
  }
}
