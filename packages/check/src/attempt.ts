// What a row may use to find out.
import type { JsonObject } from 'toolwire'
import type { CheckOptions } from './check-options.js'
import { isObject } from './json.js'
import type { Revision } from './revisions.js'
import type { ToolsPage } from './session/list-pages.js'
import type { RequestOutcome, Session } from './session/session.js'
import type { SampleCall, TargetServer } from './session/target-server.js'
import type { Transcript } from './session/transcript.js'

export class Attempt {
  readonly #stage: TargetServer
  readonly #journal: Transcript
  readonly #lane: number

  constructor(stage: TargetServer, journal: Transcript, lane: number) {
    this.#stage = stage
    this.#journal = journal
    this.#lane = lane
  }

  get revision(): Revision {
    return this.#stage.revision
  }

  get options(): CheckOptions {
    return this.#stage.options
  }

  /** Where the endpoint is, if it is one. */
  get url(): URL | undefined {
    return 'url' in this.#stage.target ? new URL(this.#stage.target.url) : undefined
  }

  session(): Promise<Session> {
    return this.#stage.newSession(this.#journal, this.#lane)
  }

  newSession(): Promise<Session> {
    return this.#stage.newConnection(this.#journal)
  }

  /** Asks something of a conversation that is not opened: it may have to be started first. */
  async requestFirst(method: string, params?: JsonObject): Promise<RequestOutcome> {
    return (await this.#stage.unopened(this.#journal)).ask(method, params, { ms: this.#stage.firstMs })
  }

  /** Sends a request of another revision; the reply does not count for this one. */
  async requestAside(method: string, params?: JsonObject): Promise<RequestOutcome> {
    return (await this.#stage.unopened(this.#journal, { aside: true })).ask(method, params, { ms: this.#stage.firstMs })
  }

  async opening(): Promise<JsonObject> {
    return (await this.session()).state.opening ?? {}
  }

  async capabilities(): Promise<JsonObject> {
    const { capabilities } = await this.opening()
    return isObject(capabilities) ? capabilities : {}
  }

  pages(): Promise<readonly ToolsPage[]> {
    return this.#stage.pages(this.#journal)
  }

  tools(): Promise<readonly JsonObject[]> {
    return this.#stage.tools(this.#journal)
  }

  samples(): Promise<readonly SampleCall[]> {
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
  get received(): readonly JsonObject[] {
    return this.#stage.wires.flatMap((wire) => wire.all)
  }

  /** What came over the pipe that is no message. */
  get strayMessages(): readonly string[] {
    return this.#stage.wires.flatMap((wire) => wire.strays)
  }
}
