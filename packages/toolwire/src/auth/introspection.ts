import { BoundedMap } from '../bounds/bounded-map.js'
import { secureUrl } from '../tools/checks/secure-url.js'
import type { Authenticate, AuthenticationResult, Denial } from '../transports/http/server/options.js'
import { bearerToken } from './bearer.js'
import type { OtherAudiences } from './claims.js'
import { type AuthFetch, FetchUnavailable } from './fetch-object.js'
import { fingerprint, hex } from './fingerprint.js'
import { type IntrospectionEndpoint, requestIntrospection } from './introspection-request.js'
import { type IntrospectionResult, readIntrospection } from './introspection-result.js'

/** Which authorization server is asked about tokens, and how. RFC 7662 */
export type IntrospectionOptions = IntrospectionEndpoint & {
  /** The issuer, which makes the subjects of its tokens unique. */
  readonly issuer: string
  /** Our own URL, which the tokens name as their audience, to the letter. */
  readonly resource: string
  readonly audience?: string | readonly string[]
  /** Servers that a token may be for as well: each of them could use it here. Such tokens are refused if not said. */
  readonly otherAudiences?: OtherAudiences
  /** How long an answer is believed, and so how late a revocation is heard of; 30,000 if not said, 300,000 at most. */
  readonly cacheMs?: number
  readonly fetch?: AuthFetch
  readonly now?: () => number
}

const longestCacheMs = 300_000
/** Token and question may have overtaken the news of the token. */
const longestNoMs = 5_000
const mostKept = 10_000
const mostAsking = 64
const introspectionBusy: Denial = {
  denied: 'temporarily_unavailable',
  description: 'The authorization server cannot be asked now',
  retryAfterMs: 5_000,
}

/**
 * Accepts the tokens that an authorization server confirms when it is asked.
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
  secureUrl(options.endpoint, 'endpoint')
  const { now = Date.now } = options
  const knower = new TokenIntrospector(options, now)
  return async (request): Promise<AuthenticationResult> => {
    const token = bearerToken(request)
    if (typeof token !== 'string') return token
    try {
      return (await knower.verdictOn(token)).found
    } catch (thrown) {
      if (thrown instanceof FetchUnavailable) return introspectionBusy
      throw thrown
    }
  }
}

type KeptResult = { readonly verdict: IntrospectionResult; readonly until: number }

/** Remembers verdicts by fingerprint, so that no token is kept: the good ones apart, so that no flood of bad ones drives them out. */
class TokenIntrospector {
  readonly #options: IntrospectionOptions
  readonly #now: () => number
  readonly #good = new BoundedMap<string, KeptResult>(mostKept)
  readonly #bad = new BoundedMap<string, KeptResult>(mostKept)
  readonly #asking = new Map<string, Promise<IntrospectionResult>>()

  constructor(options: IntrospectionOptions, now: () => number) {
    this.#options = options
    this.#now = now
  }

  async verdictOn(token: string): Promise<IntrospectionResult> {
    const key = hex(await fingerprint(token))
    const kept = this.#good.get(key) ?? this.#bad.get(key)
    if (kept && kept.until > this.#now()) return kept.verdict
    const known = this.#asking.get(key)
    if (known) return known
    if (this.#asking.size >= mostAsking) throw new FetchUnavailable('Too many tokens are being asked about')
    const asking = this.#ask(token, key).finally(() => this.#asking.delete(key))
    this.#asking.set(key, asking)
    return asking
  }

  async #ask(token: string, key: string): Promise<IntrospectionResult> {
    const answer = await requestIntrospection(this.#options, token, this.#options.fetch)
    const { issuer, resource, audience = resource, otherAudiences, cacheMs = 30_000 } = this.#options
    const now = this.#now()
    const introspectionResult = readIntrospection(answer, {
      issuer,
      audience: { ours: [audience].flat(), others: otherAudiences },
      now,
    })
    const cached = Math.min(cacheMs, longestCacheMs)
    if (introspectionResult.good) {
      this.#bad.delete(key)
      this.#good.set(key, {
        verdict: introspectionResult,
        until: Math.min(now + cached, introspectionResult.expiresAt ?? Number.POSITIVE_INFINITY),
      })
    } else {
      this.#good.delete(key)
      this.#bad.set(key, { verdict: introspectionResult, until: now + Math.min(cached, longestNoMs) })
    }
    return introspectionResult
  }
}
