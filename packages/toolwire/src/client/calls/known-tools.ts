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

type ReadTools = { readonly byName: Map<string, KnownTool>; readonly dropped: Map<string, string> }

export class KnownTools {
  readonly #options: KnownToolsOptions
  #tools: readonly KnownTool[] | undefined
  #byName = new Map<string, KnownTool>()
  /** Why some that the server lists cannot be used. */
  #dropped = new Map<string, string>()
  /** How often there was news, and how often there had been when the list that we have was asked for. */
  #news = 0
  #heard = 0
  #listedAt = 0
  /** How long all definitions were, the last time. */
  #letters = 0
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
    return this.#stale ? undefined : this.#byName.get(name)
  }

  /** A new session, maybe in another revision: definitions are read anew. */
  reset(): void {
    this.#tools = undefined
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
    if (this.#tools && this.#restMs > 0) {
      const before = this.#options.judged ? undefined : this.#byName.get(name)
      if (before) return before
      if (this.#stale) await new Promise<void>((resolve) => void setTimeout(resolve, this.#restMs))
    }
    if (!this.#tools || this.#stale || performance.now() - this.#listedAt > askAgainAfterMs) await this.#listOnce()
    const tool = this.#byName.get(name)
    if (tool) return tool
    throw new CallFailure('not_offered', this.#whyNot(name))
  }

  get #stale(): boolean {
    return this.#heard !== this.#news
  }

  /** How long it takes until a long list may be asked for again. */
  get #restMs(): number {
    return this.#letters <= shortList ? 0 : this.#listedAt + this.#letters / lettersPerMs - performance.now()
  }

  /** Many calls at once ask for one list, unless there was news after it had been asked for. */
  #listOnce(): Promise<readonly KnownTool[]> {
    if (this.#listing?.news === this.#news) return this.#listing.tools
    const tools = this.list({ fresh: this.#tools !== undefined }).finally(() => {
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
    const before = this.#tools ? this.#byName : new Map<string, KnownTool>()
    const taken: ReadTools = { byName: new Map(), dropped: new Map() }
    const rest = yieldWhenBusy()
    let letters = 0
    for (const definition of definitions) {
      letters += JSON.stringify(definition).length
      this.#take(definition, reading, before, taken)
      const pause = rest()
      if (pause) await pause
    }
    const tools = [...taken.byName.values()]
    // One that was asked for later may have been read sooner.
    if (news < this.#heard) return tools
    this.#heard = news
    this.#byName = taken.byName
    this.#dropped = taken.dropped
    this.#tools = tools
    this.#listedAt = performance.now()
    this.#letters = letters
    return tools
  }

  #take(
    definition: JsonObject,
    reading: ToolReadOptions,
    before: ReadonlyMap<string, KnownTool>,
    { byName, dropped }: ReadTools,
  ): void {
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
    const reason = this.#dropped.get(name)
    if (reason) return `The tool "${printableName(name)}" cannot be used: ${reason}`
    const offered = [...this.#byName.keys()].slice(0, 20).map(printableName).join(', ')
    return `The server has no tool "${printableName(name)}"; it has: ${offered || 'none'}`
  }
}

export const isSameDefinition = (one: JsonObject, other: JsonObject): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other)
