// What a row may use to find out.
import type { JsonObject } from 'toolwire'
import type { Edition } from './editions.js'
import type { Journal } from './journal.js'
import { isObject } from './json.js'
import type { Page } from './list-pages.js'
import type { CheckOptions } from './options.js'
import type { Sample, Stage } from './stage.js'
import type { Answered, Talk } from './talk.js'

export class Trial {
  readonly #stage: Stage
  readonly #journal: Journal
  readonly #lane: number

  constructor(stage: Stage, journal: Journal, lane: number) {
    this.#stage = stage
    this.#journal = journal
    this.#lane = lane
  }

  get edition(): Edition {
    return this.#stage.edition
  }

  get options(): CheckOptions {
    return this.#stage.options
  }

  /** Where the endpoint is, if it is one. */
  get url(): URL | undefined {
    return 'url' in this.#stage.target ? new URL(this.#stage.target.url) : undefined
  }

  talk(): Promise<Talk> {
    return this.#stage.talk(this.#journal, this.#lane)
  }

  fresh(): Promise<Talk> {
    return this.#stage.fresh(this.#journal)
  }

  /** Asks something of a conversation that is not opened: it may have to be started first. */
  async askFirst(method: string, params?: JsonObject): Promise<Answered> {
    return (await this.#stage.unopened(this.#journal)).ask(method, params, { ms: this.#stage.firstMs })
  }

  /** Asks what an edition before or after this one knows; whatever comes is no word of this edition. */
  async askAside(method: string, params?: JsonObject): Promise<Answered> {
    return (await this.#stage.unopened(this.#journal, { aside: true })).ask(method, params, { ms: this.#stage.firstMs })
  }

  async opening(): Promise<JsonObject> {
    return (await this.talk()).terms.opening ?? {}
  }

  async capabilities(): Promise<JsonObject> {
    const { capabilities } = await this.opening()
    return isObject(capabilities) ? capabilities : {}
  }

  pages(): Promise<readonly Page[]> {
    return this.#stage.pages(this.#journal)
  }

  tools(): Promise<readonly JsonObject[]> {
    return this.#stage.tools(this.#journal)
  }

  samples(): Promise<readonly Sample[]> {
    return this.#stage.samples(this.#journal, this.#lane)
  }

  /** Samples that came back as a result. */
  async results(): Promise<readonly { readonly tool: JsonObject; readonly result: JsonObject }[]> {
    return (await this.samples()).flatMap(({ tool, answered }) => {
      const result = answered.response?.result
      return isObject(result) && result.resultType !== 'input_required' ? [{ tool, result }] : []
    })
  }

  /** Tools that may be called with arguments of any kind, and arguments they should accept. */
  async bendable(): Promise<readonly { readonly tool: JsonObject; readonly args: JsonObject }[]> {
    return (await this.tools()).flatMap((tool) => {
      const args = this.#stage.mayBend(tool) ? this.#stage.argumentsFor(tool) : undefined
      return args ? [{ tool, args }] : []
    })
  }

  /** Everything the server has said in this edition. */
  get heard(): readonly JsonObject[] {
    return this.#stage.wires.flatMap((wire) => wire.all)
  }

  /** What came over the pipe that is no message. */
  get strays(): readonly string[] {
    return this.#stage.wires.flatMap((wire) => wire.strays)
  }
}
