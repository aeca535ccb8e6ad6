// Sends requests that only read. Results are cached for as long as the server allows, requests are sent again if the connection breaks,
// and questions are answered. spec 2026-07-28, server/utilities/caching
import { memoryEstimate } from '../../bounds/memory-estimate.js'
import { canonicalJson, type JsonObject } from '../../json.js'
import type { Connection } from '../connection/connection.js'
import type { SendOptions } from '../connection/session.js'
import { type InputContext, requestWithInput } from '../questions/input-rounds.js'

type KeptResult = {
  readonly result: JsonObject
  readonly size: number
  readonly until: number
  /** The principal that the result was read for. Even results that the server calls `public` are cached for one principal only. */
  readonly principal: string
  readonly method: string
}

export type CachedReadOptions = SendOptions & { fresh?: boolean }
type CachingReaderOptions = InputContext & { readonly principal: () => string | Promise<string> }

const mostKept = 500
/** Maximum size of the whole cache, as `memoryEstimate` measures it, so that a server cannot fill our memory. */
const mostMemory = 8 * 1024 * 1024

export class CachingReader {
  readonly connection: Connection
  readonly #options: CachingReaderOptions
  readonly #kept = new Map<string, KeptResult>()
  readonly #freshUntil = new WeakMap<JsonObject, number>()
  #size = 0
  /** Number of invalidations so far. A result that was requested before the latest one may be stale, so it is not cached. */
  #invalidations = 0

  constructor(options: CachingReaderOptions) {
    this.#options = options
    this.connection = options.connection
  }

  async read(method: string, params: JsonObject | undefined, sending: CachedReadOptions = {}): Promise<JsonObject> {
    const { connection } = this
    await connection.session(sending)
    // The server may answer each person differently, by metadata that is no part of the key.
    const keeps = connection.revision.cacheHints && sending.scope?.handlers.onBehalfOf === undefined
    const principal = keeps ? await this.#options.principal() : ''
    const key = keyOf(method, params)
    const kept = keeps && !sending.fresh ? this.#kept.get(key) : undefined
    if (kept && kept.principal === principal && performance.now() < kept.until) return kept.result
    const news = this.#invalidations
    const { result, rounds } = await requestWithInput(this.#options, { method, params }, { ...sending, repeatable: true })
    if (!keeps) return result
    const until = this.#expiryOf(result)
    if (until !== undefined) this.#freshUntil.set(result, until)
    // A result that needed answers to questions is valid for that one request only.
    if (rounds === 0 && news === this.#invalidations) this.#keep(key, { result, principal, method, until })
    return result
  }

  /** The time, as of `performance.now()`, at which a result that may be cached expires; infinite for all others. */
  freshUntil(result: JsonObject): number {
    return this.#freshUntil.get(result) ?? Number.POSITIVE_INFINITY
  }

  forget(isStale: (method: string) => boolean): void {
    this.#invalidations++
    for (const [key, { method }] of this.#kept) if (isStale(method)) this.#drop(key)
  }

  forgetOne(method: string, params: JsonObject | undefined): void {
    this.#invalidations++
    this.#drop(keyOf(method, params))
  }

  /** Undefined if the server does not allow the result to be cached. */
  #expiryOf({ ttlMs }: JsonObject): number | undefined {
    if (typeof ttlMs !== 'number' || !(ttlMs > 0)) return undefined
    return performance.now() + Math.min(ttlMs, this.connection.limits.cacheMs)
  }

  #keep(key: string, { until, ...read }: Omit<KeptResult, 'size' | 'until'> & { readonly until: number | undefined }): void {
    this.#drop(key)
    if (until === undefined) return
    const size = memoryEstimate(read.result)
    this.#kept.set(key, { ...read, size, until })
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept && this.#size <= mostMemory) break
      this.#drop(oldest)
    }
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
