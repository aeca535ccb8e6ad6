// The tools of a server, as far as they are known.

import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import { canonicalJson, type JsonObject } from '../../json.js'
import { printableName } from '../../text/printable-name.js'
import type { ListOptions } from '../client.js'
import { CallFailure } from '../errors.js'
import { allPages } from './all-pages.js'
import type { CachingReader } from './caching-reader.js'
import { InvalidDefinition, KnownTool, type ToolReadOptions } from './known-tool.js'

const listing = { method: 'tools/list', member: 'tools' }
/** A name that is asked for again and again does not make us ask for the list again and again. */
const askAgainAfterMs = 1_000
/** A list that is no longer than this is asked for again at once, however often there is news. */
const shortList = 256 * 1024
/** Of a longer one, what a server says is read at no more than so many characters in a second. */
const lettersPerMs = 1_024

type KnownToolsOptions = {
  readonly reader: CachingReader
  readonly trusted: boolean
  readonly warn: (text: string) => void
  /** Whether somebody decides by definitions: then calls wait for the ones that are true now, however often these change. */
  readonly judged: boolean
}

/** What a list has come to. */
type ToolList = {
  readonly byName: Map<string, KnownTool>
  /** Why some that the server lists cannot be used. */
  readonly dropped: Map<string, string>
  /** How often there had been news when it was asked for. */
  readonly news: number
  at: number
  /** How long all definitions are. */
  letters: number
}

export class KnownTools {
  readonly #options: KnownToolsOptions
  #latest: ToolList = { byName: new Map(), dropped: new Map(), news: 0, at: 0, letters: 0 }
  /** Whether the latest list is from this session. */
  #isListed = false
  /** How often there was news. */
  #news = 0
  #listing: { readonly news: number; readonly tools: Promise<readonly KnownTool[]> } | undefined

  constructor(options: KnownToolsOptions) {
    this.#options = options
  }

  /** Something has changed: the list is asked for before the next tool is chosen. */
  markStale(): void {
    this.#news++
  }

  /** Without asking: undefined while there is no definition, or there has been news since. */
  known(name: string): KnownTool | undefined {
    return this.#stale ? undefined : this.#latest.byName.get(name)
  }

  /** A new session, maybe in another revision: definitions are read anew. */
  reset(): void {
    this.#isListed = false
    this.#news++
  }

  async list(options: ListOptions = {}): Promise<readonly KnownTool[]> {
    const { reader } = this.#options
    if (!reader.connection.offers('tools')) return []
    const news = this.#news
    const fresh = options.fresh === true || this.#stale
    return this.#keep(await allPages(listing, reader, { ...options, fresh }), news)
  }

  /**
   * The tool to call: from what is known, unless there was news or it is not known yet. Servers whose long lists change over and over
   * are asked once in a while, and called meanwhile as they were.
   */
  async find(name: string): Promise<KnownTool> {
    if (!this.#options.reader.connection.offers('tools'))
      throw new CallFailure('not_offered', `The server offers no tools, so "${printableName(name)}" cannot be called`)
    const known = this.known(name)
    if (known) return known
    if (this.#isListed && this.#restMs > 0) {
      const before = this.#options.judged ? undefined : this.#latest.byName.get(name)
      if (before) return before
      if (this.#stale) await new Promise<void>((resolve) => void setTimeout(resolve, this.#restMs))
    }
    if (!this.#isListed || this.#stale || performance.now() - this.#latest.at > askAgainAfterMs) await this.#listOnce()
    const tool = this.#latest.byName.get(name)
    if (tool) return tool
    throw new CallFailure('not_offered', this.#whyNot(name))
  }

  get #stale(): boolean {
    return this.#latest.news !== this.#news
  }

  /** How long it takes until a long list may be asked for again. */
  get #restMs(): number {
    const { letters, at } = this.#latest
    return letters <= shortList ? 0 : at + letters / lettersPerMs - performance.now()
  }

  /** Many calls at once ask for one list, unless there was news after it had been asked for. */
  #listOnce(): Promise<readonly KnownTool[]> {
    if (this.#listing?.news === this.#news) return this.#listing.tools
    const tools = this.list({ fresh: this.#isListed }).finally(() => {
      if (this.#listing === asked) this.#listing = undefined
    })
    const asked = { news: this.#news, tools }
    this.#listing = asked
    return tools
  }

  /** Others get their turn meanwhile. */
  async #keep(definitions: readonly JsonObject[], news: number): Promise<readonly KnownTool[]> {
    const { reader, trusted } = this.#options
    const { revision, current } = reader.connection
    const reading = { revision, trusted, posts: current?.link.shape === 'posts' }
    // Read in another session, maybe in another revision, a definition may mean something else.
    const before = this.#isListed ? this.#latest.byName : new Map<string, KnownTool>()
    const taken: ToolList = { byName: new Map(), dropped: new Map(), news, at: 0, letters: 0 }
    const rest = yieldWhenBusy()
    for (const definition of definitions) {
      taken.letters += JSON.stringify(definition).length
      this.#take(definition, reading, before, taken)
      const pause = rest()
      if (pause) await pause
    }
    const tools = [...taken.byName.values()]
    // One that was asked for later may have been read sooner.
    if (news < this.#latest.news) return tools
    taken.at = performance.now()
    this.#latest = taken
    this.#isListed = true
    return tools
  }

  #take(definition: JsonObject, reading: ToolReadOptions, before: ReadonlyMap<string, KnownTool>, taken: ToolList): void {
    const { byName, dropped } = taken
    const { name } = definition
    if (typeof name !== 'string') return void this.#options.warn('A tool without a name was dropped')
    // While the list was being read a tool may have moved from one page to another.
    if (byName.has(name)) return
    const known = before.get(name)
    try {
      byName.set(name, known && isSameDefinition(known.definition, definition) ? known : new KnownTool(definition, reading))
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

export const isSameDefinition = (one: JsonObject, other: JsonObject): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other)
