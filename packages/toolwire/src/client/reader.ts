// Requests that only read: kept for as long as the server says, sent again if the connection breaks, questions answered.
import type { JsonObject } from '../json.js'
import { Cache } from './cache.js'
import { type Asking, converse } from './rounds.js'
import type { Sending } from './session.js'

export type ReaderOptions = Asking & {
  readonly cacheMs: number
  readonly principal: () => string | Promise<string>
}

export class Reader {
  readonly cache: Cache
  readonly #options: ReaderOptions

  constructor(options: ReaderOptions) {
    this.#options = options
    this.cache = new Cache(options.cacheMs)
  }

  /** The session in which the latest result is good for more, where that matters. */
  get within(): number | undefined {
    return this.#options.connection.sessionNumber
  }

  /** From what is kept, unless something `fresh` is wanted. */
  async read(method: string, params: JsonObject | undefined, sending: Sending & { fresh?: boolean } = {}): Promise<JsonObject> {
    const { connection, principal } = this.#options
    await connection.session(sending)
    const keeps = connection.revision.cacheHints
    const key = { method, params, principal: keeps ? await principal() : '' }
    const kept = keeps && !sending.fresh ? this.cache.get(key) : undefined
    if (kept) return kept
    const { news } = this.cache
    const { result, rounds } = await converse(this.#options, { method, params }, { ...sending, repeatable: true })
    // An answer to questions of the server's was for that one request. spec 2026-07-28, server/utilities/caching
    if (keeps && rounds === 0 && news === this.cache.news) this.cache.keep(key, result)
    return result
  }
}
