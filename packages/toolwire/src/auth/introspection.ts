import { BoundedMap } from '../bounds/bounded-map.js'
import { type RoomLimits, sharedRoom } from '../bounds/shared-room.js'
import type { JsonObject } from '../json.js'
import { checkOptions, optionsOf } from '../tools/checks/known-options.js'
import { atLeast, either, oneOf, someText, someTexts } from '../tools/checks/option-values.js'
import { secureUrl } from '../tools/checks/secure-url.js'
import type { Authenticate, AuthenticationResult, Denial } from '../transports/http/server/options.js'
import { bearerToken } from './bearer.js'
import { audienceValues, type BearerJwtOptions } from './bearer-jwt.js'
import { FetchUnavailable, fetchObject } from './fetch-object.js'
import { fingerprint, hex } from './fingerprint.js'
import { type IntrospectionResult, readIntrospection } from './introspection-result.js'
import { stopwatch } from './stopwatch.js'

export type IntrospectionOptions = Pick<BearerJwtOptions, 'resource' | 'otherAudiences' | 'fetch' | 'now'> & {
  /** Our names at the authorization server, if they are not our URL. */
  readonly audience?: string | readonly string[]
  /** The introspection endpoint. It needs our credentials, so that nobody else can try tokens there. RFC 7662, section 2.1 */
  readonly endpoint: string
  readonly clientId: string
  readonly clientSecret: string
  /** Sends our credentials in the header (`basic`, the default) or in the form (`post`). */
  readonly clientAuth?: 'basic' | 'post'
  /** The issuer, which makes the subjects of its tokens unique. */
  readonly issuer: string
  /** Cache time of an answer, and so the longest delay of a revocation. Default: 30,000; at most 300,000. */
  readonly cacheMs?: number
}

const known = optionsOf<IntrospectionOptions>()(audienceValues, {
  audience: either(someText, someTexts),
  'resource endpoint clientId clientSecret': someText,
  clientAuth: oneOf('basic', 'post'),
  cacheMs: atLeast(0),
})
const longestCacheMs = 300_000
/** A refusal is cached briefly, because the authorization server may not have heard of a new token yet. */
const longestNoMs = 5_000
const mostKept = 10_000
/** Introspections at once for one sender, and in all. */
const mostAsking: RoomLimits = { each: 64, all: 128 }
const introspectionBusy: Denial = {
  denied: 'temporarily_unavailable',
  description: 'The token cannot be verified now; try again',
  retryAfterMs: 5_000,
}

/**
 * Accepts the tokens that an authorization server confirms on request (RFC 7662).
 *
 * @example
 * ```ts
 * const authenticate = introspection({
 *   issuer: 'https://login.example',
 *   resource: 'https://shop.example/mcp',
 *   endpoint: 'https://login.example/introspect',
 *   clientId: 'shop',
 *   clientSecret: process.env.SECRET ?? '',
 * })
 * ```
 */
export function introspection(options: IntrospectionOptions): Authenticate {
  checkOptions('introspection()', options, known)
  secureUrl(options.endpoint, 'endpoint')
  const introspect = tokenIntrospector(options)
  return async (request): Promise<AuthenticationResult> => {
    const token = bearerToken(request)
    if (typeof token !== 'string') return token
    try {
      return (await introspect(token, request.remote)).outcome
    } catch (thrown) {
      if (thrown instanceof FetchUnavailable) return introspectionBusy
      throw thrown
    }
  }
}

type KeptResult = { readonly result: IntrospectionResult; readonly age: () => number; readonly keptMs: number }

/** Caches results by fingerprint, so that no token is kept. Bad tokens have a cache of their own, so floods of them evict no good one. */
function tokenIntrospector(options: IntrospectionOptions) {
  const { issuer, resource, audience = resource, otherAudiences, cacheMs = 30_000, now = Date.now } = options
  const expected = { issuer, audience: { ours: [audience].flat(), others: otherAudiences } }
  const keptMs = Math.min(cacheMs, longestCacheMs)
  const good = new BoundedMap<string, KeptResult>(mostKept)
  const bad = new BoundedMap<string, KeptResult>(mostKept)
  const underWay = new Map<string, Promise<IntrospectionResult>>()
  // Tokens that were good before have places of their own, so floods of invented ones delay none of them.
  const rooms = { good: sharedRoom(mostAsking), other: sharedRoom(mostAsking) }

  const ask = async (token: string, key: string): Promise<IntrospectionResult> => {
    const answer = await requestIntrospection(options, token)
    const result = readIntrospection(answer, { ...expected, now: now() })
    const [mine, others] = result.isActive ? [good, bad] : [bad, good]
    others.delete(key)
    mine.set(key, { result, age: stopwatch(now), keptMs: result.isActive ? keptMs : Math.min(keptMs, longestNoMs) })
    return result
  }

  return async (token: string, sender: string | undefined): Promise<IntrospectionResult> => {
    const key = hex(await fingerprint(token))
    const kept = good.get(key) ?? bad.get(key)
    if (kept && kept.age() < kept.keptMs && (kept.result.expiresAt ?? Number.POSITIVE_INFINITY) > now()) return kept.result
    const known = underWay.get(key)
    if (known) return known
    const room = kept?.result.isActive ? rooms.good : rooms.other
    if (!room.hasRoom(sender, 1)) throw new FetchUnavailable('Too many tokens are being introspected')
    const leave = room.take(sender, 1)
    const asking = ask(token, key).finally(() => {
      leave()
      underWay.delete(key)
    })
    underWay.set(key, asking)
    return asking
  }
}

function requestIntrospection(options: IntrospectionOptions, token: string): Promise<JsonObject> {
  const { endpoint, clientId, clientSecret, clientAuth, fetch } = options
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' })
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' })
  if (clientAuth === 'post') {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  } else headers.set('authorization', `Basic ${btoa(`${encoded(clientId)}:${encoded(clientSecret)}`)}`)
  return fetchObject(endpoint, { method: 'POST', headers, body: form.toString() }, fetch)
}

/** Encodes a client credential as a form does. RFC 6749, section 2.3.1 */
const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
