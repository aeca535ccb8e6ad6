// The latest known tool list of a server.

import { canonicalJsonInTurns } from '../../bounds/canonical-in-turns.js'
import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import type { JsonObject } from '../../json.js'
import { printableName } from '../../text/printable-name.js'
import type { ListOptions } from '../client.js'
import { CallFailure } from '../errors.js'
import { allPages } from './all-pages.js'
import type { CachingReader } from './caching-reader.js'
import { InvalidDefinition, KnownTool, type MeasuredDefinition, type ToolReadOptions } from './known-tool.js'

const listing = { method: 'tools/list', member: 'tools' }
/** Shortest time between list requests for the sake of unknown tool names, or of lists that expire at once. */
const askAgainAfterMs = 1_000
/** Longest list, in characters, that is requested again at once after every change. */
const shortList = 256 * 1024
/** Rate at which a longer list that keeps changing is read, in characters per millisecond. */
const lettersPerMs = 1_024

type KnownToolsOptions = {
  readonly reader: CachingReader
  readonly trusted: boolean
  readonly warn: (text: string) => void
  /** True if a policy decides by definitions. Calls then wait for the current definitions, however often these change. */
  readonly hasDecidingPolicy: boolean
}

type ToolList = {
  readonly byName: Map<string, KnownTool>
  /** Reasons why listed tools cannot be used, by tool name. */
  readonly dropped: Map<string, string>
  /** The value of `#news` when the list was requested. */
  readonly news: number
  at: number
  /** The time at which the list expires by the word of the server. */
  until: number
  /** Total length of all definitions, in characters. */
  letters: number
}

export class KnownTools {
  readonly #options: KnownToolsOptions
  #latest: ToolList = { byName: new Map(), dropped: new Map(), news: 0, at: 0, until: Number.POSITIVE_INFINITY, letters: 0 }
  /** True if the latest list is from the current session. */
  #isListed = false
  /** Counts the events that make the list stale. */
  #news = 0
  #listing: { readonly news: number; readonly tools: Promise<readonly KnownTool[]> } | undefined

  constructor(options: KnownToolsOptions) {
    this.#options = options
  }

  /** Marks the list as stale, so that the next lookup requests it again. */
  markStale(): void {
    this.#news++
  }

  /** Looks a tool up without a request. Returns undefined if the tool is not known or the list is stale. */
  known(name: string): KnownTool | undefined {
    return this.#stale ? undefined : this.#latest.byName.get(name)
  }

  /** Called for a new session: definitions are read again, because the revision may be another one. */
  reset(): void {
    this.#isListed = false
    this.#news++
  }

  async list(options: ListOptions = {}): Promise<readonly KnownTool[]> {
    const { reader } = this.#options
    if (!(await reader.connection.offersNow('tools', options))) return []
    const news = this.#news
    const fresh = options.fresh === true || this.#isOutdated
    let until = Number.POSITIVE_INFINITY
    const onPage = (page: JsonObject) => {
      until = Math.min(until, reader.freshUntil(page))
    }
    return this.#keep(await allPages(listing, reader, { ...options, fresh, onPage }), { news, until })
  }

  /**
   * Returns the tool to call, and requests the list if it is stale or lacks the tool. A long list that keeps changing is requested less
   * often. Meanwhile the last known definition is used, unless a policy decides by it, or the call is only valid for the current one.
   */
  async find(name: string, { current = this.#options.hasDecidingPolicy } = {}): Promise<KnownTool> {
    const { connection } = this.#options.reader
    if (!connection.offers('tools') && !(await connection.offersNow('tools')))
      throw new CallFailure('not_offered', `The server offers no tools, so "${printableName(name)}" cannot be called`)
    const known = this.known(name)
    if (known) return known
    if (this.#isListed && this.#restMs > 0) {
      const before = current ? undefined : this.#latest.byName.get(name)
      if (before) return before
      if (this.#stale) await new Promise<void>((resolve) => void setTimeout(resolve, this.#restMs))
    }
    if (!this.#isListed || this.#stale || performance.now() - this.#latest.at > askAgainAfterMs) await this.#listOnce()
    const tool = this.#latest.byName.get(name)
    if (tool) return tool
    throw new CallFailure('not_offered', this.#whyNot(name))
  }

  get #stale(): boolean {
    return this.#isOutdated || this.#isExpired
  }

  get #isOutdated(): boolean {
    return this.#latest.news !== this.#news
  }

  /** Most lists never expire, so their calls need no clock. */
  get #isExpired(): boolean {
    const { until } = this.#latest
    return until !== Number.POSITIVE_INFINITY && performance.now() >= until
  }

  /** Milliseconds until a long list may be requested again. */
  get #restMs(): number {
    const { letters, at } = this.#latest
    return letters <= shortList ? 0 : at + letters / lettersPerMs - performance.now()
  }

  /** Concurrent calls share one list request, unless the list became stale after it was sent. */
  #listOnce(): Promise<readonly KnownTool[]> {
    if (this.#listing?.news === this.#news) return this.#listing.tools
    // Of an expired list, only the expired pages are requested.
    const tools = this.list({ fresh: this.#isListed && !this.#isExpired }).finally(() => {
      if (this.#listing === asked) this.#listing = undefined
    })
    const asked = { news: this.#news, tools }
    this.#listing = asked
    return tools
  }

  async #keep(
    definitions: readonly JsonObject[],
    { news, until }: Pick<ToolList, 'news' | 'until'>,
  ): Promise<readonly KnownTool[]> {
    const { reader, trusted } = this.#options
    const { revision, current } = reader.connection
    const reading = { revision, trusted, posts: current?.transport.shape === 'posts' }
    // Definitions of an earlier session are not reused, because they may mean something else in another revision.
    const before = this.#isListed ? this.#latest.byName : new Map<string, KnownTool>()
    const taken: ToolList = { byName: new Map(), dropped: new Map(), news, at: 0, until, letters: 0 }
    const rest = yieldWhenBusy()
    for (const definition of definitions) {
      const { length: letters } = JSON.stringify(definition)
      taken.letters += letters
      await this.#take({ definition, letters }, reading, before, taken)
      const pause = rest()
      if (pause) await pause
    }
    const tools = [...taken.byName.values()]
    // A list that was requested later may have arrived earlier.
    if (news < this.#latest.news) return tools
    taken.at = performance.now()
    taken.until = Math.max(until, taken.at + askAgainAfterMs)
    this.#latest = taken
    this.#isListed = true
    return tools
  }

  async #take(
    listed: MeasuredDefinition,
    reading: ToolReadOptions,
    before: ReadonlyMap<string, KnownTool>,
    { byName, dropped }: ToolList,
  ): Promise<void> {
    const { name } = listed.definition
    if (typeof name !== 'string') return void this.#options.warn('A tool without a name was dropped')
    // A tool may have moved to another page while the list was read.
    if (byName.has(name)) return
    const known = before.get(name)
    try {
      byName.set(name, known && (await isSameDefinition(known, listed)) ? known : await KnownTool.read(listed, reading))
    } catch (thrown) {
      if (!(thrown instanceof InvalidDefinition)) throw thrown
      dropped.set(name, thrown.message)
      this.#options.warn(`The tool "${printableName(name)}" was dropped: ${thrown.message}`)
    }
  }

  #whyNot(name: string): string {
    const reason = this.#latest.dropped.get(name)
    if (reason) return `The tool "${printableName(name)}" cannot be used: ${reason}`
    const offered = [...this.#latest.byName.keys()].slice(0, 20).map(printableName).join(', ')
    return `The server has no tool "${printableName(name)}"; it has: ${offered || 'none'}`
  }
}

export async function isSameDefinition(one: MeasuredDefinition, other: MeasuredDefinition): Promise<boolean> {
  if (one.definition === other.definition) return true
  // Definitions that differ only in the order of their members are equally long.
  if (one.letters !== other.letters) return false
  if (JSON.stringify(one.definition) === JSON.stringify(other.definition)) return true
  return (await canonicalJsonInTurns(one.definition)) === (await canonicalJsonInTurns(other.definition))
}
