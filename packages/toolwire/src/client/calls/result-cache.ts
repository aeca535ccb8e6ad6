// Results that the server lets us keep, each for its own time. spec 2026-07-28, server/utilities/caching
import { canonicalJson, type JsonObject } from '../../json.js'

type CachedResult = {
  readonly result: JsonObject
  readonly size: number
  readonly until: number
  readonly principal: string
  readonly method: string
}

const mostKept = 500
/** Of JSON text, all results together: a server must not fill our memory with what it says is worth keeping. */
const mostText = 8 * 1024 * 1024

/** What was asked for and by whom: everything that a result may depend on. */
type ResultCacheKey = { readonly method: string; readonly params: JsonObject | undefined; readonly principal: string }

/** Everything is kept for one principal only: a server's `public` is its word, not ours. */
export class ResultCache {
  readonly #kept = new Map<string, CachedResult>()
  readonly #longestMs: number
  readonly #now: () => number
  #size = 0
  /** How often something here has turned out not to be true any more: what was asked for before need not be true either. */
  invalidations = 0

  constructor(longestMs: number, now: () => number = () => performance.now()) {
    this.#longestMs = longestMs
    this.#now = now
  }

  get({ method, params, principal }: ResultCacheKey): JsonObject | undefined {
    const kept = this.#kept.get(keyOf(method, params))
    return kept && kept.principal === principal && this.#now() < kept.until ? kept.result : undefined
  }

  /** Nothing is kept of a server that does not say for how long it may be. */
  keep({ method, params, principal }: ResultCacheKey, result: JsonObject): void {
    const key = keyOf(method, params)
    const ttlMs = typeof result.ttlMs === 'number' ? Math.min(result.ttlMs, this.#longestMs) : 0
    this.#drop(key)
    if (!(ttlMs > 0)) return
    const size = JSON.stringify(result).length
    this.#kept.set(key, { result, size, until: this.#now() + ttlMs, principal, method })
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept && this.#size <= mostText) break
      this.#drop(oldest)
    }
  }

  /** Those results are not true any more. */
  forget(isStale: (method: string) => boolean): void {
    this.invalidations++
    for (const [key, { method }] of this.#kept) if (isStale(method)) this.#drop(key)
  }

  forgetOne(method: string, params: JsonObject | undefined): void {
    this.invalidations++
    this.#drop(keyOf(method, params))
  }

  #drop(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}

function keyOf(method: string, params: JsonObject | undefined): string {
  if (!params) return method
  const { _meta: _, ...rest } = params
  return Object.keys(rest).length === 0 ? method : `${method} ${canonicalJson(rest)}`
}
