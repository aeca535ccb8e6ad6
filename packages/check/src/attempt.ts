// What a row may use to find out.
import type { JsonObject } from 'toolwire'
import type { CheckOptions } from './check-options.js'
import { isObject } from './json.js'
import type { Revision } from './revisions.js'
import type { ToolsPage } from './session/list-pages.js'
import { type RequestOutcome, resultOf, type Session } from './session/session.js'
import type { SampleCall, TargetServer } from './session/target-server.js'
import type { Transcript } from './session/transcript.js'

export class Attempt {
  readonly #targetServer: TargetServer
  readonly #transcript: Transcript
  readonly #lane: number

  constructor(targetServer: TargetServer, transcript: Transcript, lane: number) {
    this.#targetServer = targetServer
    this.#transcript = transcript
    this.#lane = lane
  }

  get revision(): Revision {
    return this.#targetServer.revision
  }

  get options(): CheckOptions {
    return this.#targetServer.options
  }

  /** Where the endpoint is, if it is one. */
  get url(): URL | undefined {
    return 'url' in this.#targetServer.target ? new URL(this.#targetServer.target.url) : undefined
  }

  session(): Promise<Session> {
    return this.#targetServer.newSession(this.#transcript, this.#lane)
  }

  /** Asks something of the conversation that most rows share. */
  async ask(...request: Parameters<Session['ask']>): Promise<RequestOutcome> {
    return (await this.session()).ask(...request)
  }

  newSession(): Promise<Session> {
    return this.#targetServer.newConnection(this.#transcript)
  }

  /** Asks something of a conversation that is not opened: it may have to be started first. */
  async requestFirst(method: string, params?: JsonObject): Promise<RequestOutcome> {
    return (await this.#targetServer.unopened(this.#transcript)).ask(method, params, { ms: this.#targetServer.firstMs })
  }

  /** Sends a request of another revision; the reply does not count for this one. */
  async requestAside(method: string, params?: JsonObject): Promise<RequestOutcome> {
    const session = await this.#targetServer.unopened(this.#transcript, { aside: true })
    return session.ask(method, params, { ms: this.#targetServer.firstMs })
  }

  async opening(): Promise<JsonObject> {
    return (await this.session()).state.opening ?? {}
  }

  async capabilities(): Promise<JsonObject> {
    const { capabilities } = await this.opening()
    return isObject(capabilities) ? capabilities : {}
  }

  pages(): Promise<readonly ToolsPage[]> {
    return this.#targetServer.pages(this.#transcript)
  }

  tools(): Promise<readonly JsonObject[]> {
    return this.#targetServer.tools(this.#transcript)
  }

  samples(): Promise<readonly SampleCall[]> {
    return this.#targetServer.samples(this.#transcript, this.#lane)
  }

  /** Samples that came back as a result. */
  async results(): Promise<{ tool: JsonObject; result: JsonObject }[]> {
    return (await this.samples()).flatMap(({ tool, answered }) => {
      const result = resultOf(answered.response)
      return result && result.resultType !== 'input_required' ? [{ tool, result }] : []
    })
  }

  /** Tools that may be called with arguments of any kind, and arguments they should accept. */
  async bendable(): Promise<{ tool: JsonObject; args: JsonObject }[]> {
    return (await this.tools()).flatMap((tool) => {
      const args = this.#targetServer.mayBend(tool) ? this.#targetServer.argumentsFor(tool) : undefined
      return args ? [{ tool, args }] : []
    })
  }

  /** Everything the server has said in this edition. */
  get received(): readonly JsonObject[] {
    return this.#targetServer.wires.flatMap((wire) => wire.all)
  }

  /** What came over the pipe that is no message. */
  get strayMessages(): readonly string[] {
    return this.#targetServer.wires.flatMap((wire) => wire.strays)
  }
}
