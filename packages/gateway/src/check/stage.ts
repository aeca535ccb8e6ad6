// One server in one edition: its conversations, its tools, and the calls that several rows look at.
import type { JsonObject } from 'toolwire'
import type { Edition } from './editions.js'
import type { Journal } from './journal.js'
import { isObject } from './json.js'
import { listPages, type Page } from './list-pages.js'
import { open } from './opening.js'
import type { CheckOptions, CheckTarget } from './options.js'
import { sampleArguments } from './sample-arguments.js'
import { type Answered, newTerms, Talk } from './talk.js'
import { startLines } from './wire/lines.js'
import { Posts } from './wire/posts.js'
import { Unreachable, type Wire } from './wire/wire.js'

/** A call that went as the tool asks for it. */
export type Sample = {
  readonly tool: JsonObject
  readonly args: JsonObject
  readonly token: string
  readonly answered: Answered
}

const mostSamples = 25

/** Some are installed first. */
const usualStartMs = 20_000

export class Stage {
  readonly target: CheckTarget
  readonly edition: Edition
  readonly options: CheckOptions
  readonly ms: number
  /** Names that claim to read only, in any edition: the first ones have no word for it. */
  readonly readers: Set<string>
  readonly wires: Wire[] = []
  readonly talks: Talk[] = []
  readonly #startMs: number
  #openedIn = 0
  #main: Talk | undefined
  #pages: Page[] | undefined
  #samples: Promise<Sample[]> | undefined

  constructor(parts: { target: CheckTarget; edition: Edition; options: CheckOptions; readers: Set<string> }) {
    this.target = parts.target
    this.edition = parts.edition
    this.options = parts.options
    this.ms = parts.options.timeoutMs ?? 5_000
    this.#startMs = parts.options.startMs ?? Math.max(this.ms, usualStartMs)
    this.readers = parts.readers
  }

  /** The conversation most rows share; a new one when it has broken. */
  async talk(journal: Journal): Promise<Talk> {
    if (!this.#main?.wire.alive) this.#main = await this.fresh(journal)
    return this.#main.with(journal)
  }

  /** The next row gets a conversation of its own: this one may be in any state. */
  abandon(): void {
    this.#main = undefined
  }

  /** A conversation nobody else uses. */
  async fresh(journal: Journal): Promise<Talk> {
    const started = Date.now()
    const talk = await this.unopened(journal)
    const opened = await open(talk, this.#startMs)
    this.#openedIn = Math.max(this.#openedIn, Date.now() - started)
    if (opened) return talk
    throw new Unreachable(`The server does not speak ${this.edition.version}`)
  }

  /** How long the first words of a conversation may take, seeing how long others took. */
  get firstMs(): number {
    return Math.min(this.#startMs, this.ms + 2 * this.#openedIn)
  }

  async unopened(journal: Journal): Promise<Talk> {
    const wire = await this.#wire()
    this.wires.push(wire)
    const talk = new Talk({ wire, edition: this.edition, ms: this.ms, terms: newTerms(), journal })
    this.talks.push(talk)
    return talk
  }

  async pages(journal: Journal): Promise<readonly Page[]> {
    this.#pages ??= await listPages(await this.talk(journal))
    return this.#pages
  }

  async tools(journal: Journal): Promise<readonly JsonObject[]> {
    const tools = (await this.pages(journal)).flatMap((page) => page.tools)
    for (const { name, annotations } of tools)
      if (typeof name === 'string' && isObject(annotations) && annotations.readOnlyHint === true) this.readers.add(name)
    return tools
  }

  /** Each tool that may be called, called once. */
  samples(journal: Journal): Promise<Sample[]> {
    this.#samples ??= this.#call(journal)
    return this.#samples
  }

  /** The arguments with which a tool may be called here; undefined when it may not. */
  argumentsFor(tool: JsonObject): JsonObject | undefined {
    const name = String(tool.name)
    const given = this.options.tools?.[name]
    if (given) return given
    return this.mayBend(tool) ? sampleArguments(tool.inputSchema) : undefined
  }

  /** Whether it may be called with whatever arguments: named tools are called only as the operator wrote them. */
  mayBend({ name }: JsonObject): boolean {
    return this.options.allowCalls === true || this.readers.has(String(name))
  }

  async close(): Promise<void> {
    await Promise.all(this.wires.map((wire) => wire.close()))
  }

  async #call(journal: Journal): Promise<Sample[]> {
    const samples: Sample[] = []
    for (const tool of await this.tools(journal)) {
      const args = samples.length < mostSamples ? this.argumentsFor(tool) : undefined
      if (!args || tool.name === this.options.slow?.name) continue
      const talk = await this.talk(journal)
      const token = `check-${samples.length}`
      const params = { name: String(tool.name), arguments: args }
      const answered = await talk.ask('tools/call', params, { meta: { progressToken: token }, schema: tool.inputSchema })
      samples.push({ tool, args, token, answered })
    }
    return samples
  }

  async #wire(): Promise<Wire> {
    if (!('url' in this.target)) return startLines(this.target)
    if (!URL.canParse(this.target.url)) throw new Unreachable(`${this.target.url} is no URL`)
    return new Posts(new URL(this.target.url), this.target.headers ?? {})
  }
}
