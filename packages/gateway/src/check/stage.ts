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
const samplesAtOnce = 5
/** Ids of requests differ between conversations: not every server keeps them apart by their connection. */
const idsOfATalk = 1_000

/** Some are installed first. */
const usualStartMs = 20_000

/** What the editions of one server have in common. */
export class Common {
  /** Names that claim to read only, in any edition: the first ones have no word for it. */
  readonly readers = new Set<string>()
  #talks = 0

  nextFirstId(): number {
    return ++this.#talks * idsOfATalk
  }
}

export class Stage {
  readonly target: CheckTarget
  readonly edition: Edition
  readonly options: CheckOptions
  readonly ms: number
  readonly common: Common
  readonly wires: Wire[] = []
  readonly #asides: Wire[] = []
  readonly #startMs: number
  readonly #mains = new Map<number, Talk>()
  #openedIn = 0
  #pages: Page[] | undefined
  #samples: Promise<Sample[]> | undefined

  constructor(parts: { target: CheckTarget; edition: Edition; options: CheckOptions; common: Common }) {
    this.target = parts.target
    this.edition = parts.edition
    this.options = parts.options
    this.ms = parts.options.timeoutMs ?? 5_000
    this.#startMs = parts.options.startMs ?? Math.max(this.ms, usualStartMs)
    this.common = parts.common
  }

  /** The conversation that most rows of a lane share; a new one when it has broken. */
  async talk(journal: Journal, lane = 0): Promise<Talk> {
    const main = this.#mains.get(lane)
    if (main?.wire.alive) return main.with(journal)
    const fresh = await this.fresh(journal)
    this.#mains.set(lane, fresh)
    return fresh.with(journal)
  }

  /** The next row of the lane gets a conversation of its own: this one may be in any state. */
  abandon(lane: number): void {
    this.#mains.delete(lane)
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

  /** What is said aside does not count among what the server says in this edition. */
  async unopened(journal: Journal, { aside = false } = {}): Promise<Talk> {
    const wire = await this.#wire()
    ;(aside ? this.#asides : this.wires).push(wire)
    const talk = new Talk({ wire, edition: this.edition, ms: this.ms, terms: newTerms(this.common.nextFirstId()), journal })
    wire.onRequest = (request) => void talk.answer(request)
    return talk
  }

  async pages(journal: Journal): Promise<readonly Page[]> {
    this.#pages ??= await listPages(await this.talk(journal))
    return this.#pages
  }

  async tools(journal: Journal): Promise<readonly JsonObject[]> {
    const tools = (await this.pages(journal)).flatMap((page) => page.tools)
    for (const { name, annotations } of tools)
      if (typeof name === 'string' && isObject(annotations) && annotations.readOnlyHint === true) this.common.readers.add(name)
    return tools
  }

  /** Each tool that may be called, called once. */
  samples(journal: Journal, lane: number): Promise<Sample[]> {
    this.#samples ??= this.#call(journal, lane)
    return this.#samples
  }

  /** The arguments with which a tool may be called here; undefined when it may not. */
  argumentsFor(tool: JsonObject): JsonObject | undefined {
    if (isObject(tool.execution) && tool.execution.taskSupport === 'required') return undefined
    const name = String(tool.name)
    const given = this.options.tools?.[name]
    if (given) return given
    return this.mayBend(tool) ? sampleArguments(tool.inputSchema) : undefined
  }

  /** Whether it may be called with whatever arguments: named tools are called only as the operator wrote them. */
  mayBend({ name }: JsonObject): boolean {
    return this.options.allowCalls === true || this.common.readers.has(String(name))
  }

  async close(): Promise<void> {
    await Promise.all([...this.wires, ...this.#asides].map((wire) => wire.close()))
  }

  /** Some take their time, so that several are under way at once. */
  async #call(journal: Journal, lane: number): Promise<Sample[]> {
    const { slow } = this.options
    const callable = (await this.tools(journal)).flatMap((tool) => {
      const args = tool.name === slow?.name ? undefined : this.argumentsFor(tool)
      return args ? [{ tool, args }] : []
    })
    const queue = callable.slice(0, mostSamples).entries()
    const samples: Sample[] = []
    const work = async () => {
      for (const [at, { tool, args }] of queue)
        samples[at] = await this.#sample(await this.talk(journal, lane), { tool, args, at })
    }
    await this.talk(journal, lane)
    await Promise.all(Array.from({ length: samplesAtOnce }, work))
    return samples
  }

  async #sample(talk: Talk, { tool, args, at }: Pick<Sample, 'tool' | 'args'> & { at: number }): Promise<Sample> {
    const token = `check-${this.edition.version}-${at}`
    const params = { name: String(tool.name), arguments: args }
    const answered = await talk.ask('tools/call', params, { meta: { progressToken: token }, schema: tool.inputSchema })
    return { tool, args, token, answered }
  }

  async #wire(): Promise<Wire> {
    if (!('url' in this.target)) return startLines(this.target)
    if (!URL.canParse(this.target.url)) throw new Unreachable(`${this.target.url} is no URL`)
    return new Posts(new URL(this.target.url), this.target.headers ?? {})
  }
}
