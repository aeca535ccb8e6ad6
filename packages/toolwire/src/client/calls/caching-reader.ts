// Requests that only read: kept for as long as the server says, sent again if the connection breaks, questions answered.
import type { JsonObject } from '../../json.js'
import type { SendOptions } from '../connection/session.js'
import { type InputContext, requestWithInput } from '../questions/input-rounds.js'
import { ResultCache } from './result-cache.js'

type CachingReaderOptions = InputContext & {
  readonly cacheMs: number
  readonly principal: () => string | Promise<string>
}

export class CachingReader {
  readonly cache: ResultCache
  readonly #options: CachingReaderOptions

  constructor(options: CachingReaderOptions) {
    this.#options = options
    this.cache = new ResultCache(options.cacheMs)
  }

  /** The session in which the latest result is good for more, where that matters. */
  get sessionNumber(): number | undefined {
    return this.#options.connection.sessionNumber
  }

  /** From what is kept, unless something `fresh` is wanted. */
  async read(
    method: string,
    params: JsonObject | undefined,
    sending: SendOptions & { fresh?: boolean } = {},
  ): Promise<JsonObject> {
    const { connection, principal } = this.#options
    await connection.session(sending)
    const keeps = connection.revision.cacheHints
    const key = { method, params, principal: keeps ? await principal() : '' }
    const kept = keeps && !sending.fresh ? this.cache.get(key) : undefined
    if (kept) return kept
    const { invalidations: news } = this.cache
    const { result, rounds } = await requestWithInput(this.#options, { method, params }, { ...sending, repeatable: true })
    // An answer to questions of the server's was for that one request. spec 2026-07-28, server/utilities/caching
    if (keeps && rounds === 0 && news === this.cache.invalidations) this.cache.keep(key, result)
    return result
  }
}
