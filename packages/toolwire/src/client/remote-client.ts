// The client itself, as its users see it.
import type { JsonObject } from '../json.js'
import type { AuditLog } from '../policy/audit/log.js'
import type { CallResult } from '../tools/call-result.js'
import type { ResourceContents } from '../tools/content.js'
import type { LogLevel } from '../tools/context.js'
import { allPages } from './calls/all-pages.js'
import type { RemoteTool } from './calls/remote-tool.js'
import { asResourceMissing, completionIn, resourceContentsIn } from './calls/resource-missing.js'
import type {
  CallHandlers,
  CallOptions,
  Change,
  Client,
  Completion,
  CompletionRef,
  ListOptions,
  RemotePrompt,
  RemoteResource,
  RemoteTemplate,
  RequestOptions,
  ServerAbout,
  ToolsOf,
} from './client.js'
import { ClientParts, type ClientPartsOptions } from './client-parts.js'
import { withSafeIcons } from './icons/safe-icons.js'
import { requestWithInput } from './questions/input-rounds.js'
import { toolFunctions } from './tool-functions.js'
import type { WaitOptions } from './wait-for.js'

export class RemoteClient<S> implements Client<S> {
  readonly name: string
  readonly tools: ToolsOf<S>
  readonly #parts: ClientParts

  constructor(options: ClientPartsOptions) {
    this.#parts = new ClientParts(options)
    this.name = this.#parts.name
    this.tools = toolFunctions<S>((name, args, given) => this.call(name, args, given))
  }

  /** Makes the first connection, so that a server which cannot be reached is known at once. */
  async open(patience: WaitOptions): Promise<this> {
    try {
      await this.#parts.connection.session(patience)
      return this
    } catch (thrown) {
      await this.close()
      throw thrown
    }
  }

  get audit(): AuditLog | undefined {
    return this.#parts.audit
  }

  get server(): ServerAbout {
    return this.#parts.connection.about
  }

  call(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<CallResult> {
    return this.#parts.calling.call(name, args, options)
  }

  resume(taskId: string, options: CallOptions & { tool?: string } = {}): Promise<CallResult> {
    return this.#parts.calling.resume(taskId, options)
  }

  async listTools(options: ListOptions = {}): Promise<readonly RemoteTool[]> {
    await this.#parts.connection.session(options)
    return this.#parts.toolbox.list(options)
  }

  async listResources(options: ListOptions = {}): Promise<readonly RemoteResource[]> {
    // The entries come from strangers: readers check the members, and the type only says what to expect.
    return (await this.#list('resources/list', 'resources', options)) as RemoteResource[]
  }

  async listResourceTemplates(options: ListOptions = {}): Promise<readonly RemoteTemplate[]> {
    return (await this.#list('resources/templates/list', 'resourceTemplates', options)) as RemoteTemplate[]
  }

  async listPrompts(options: ListOptions = {}): Promise<readonly RemotePrompt[]> {
    return (await this.#list('prompts/list', 'prompts', options)) as RemotePrompt[]
  }

  async readResource(uri: string, options: RequestOptions & CallHandlers = {}): Promise<readonly ResourceContents[]> {
    await this.#demand('resources/read', options)
    const { scopes, reader } = this.#parts
    const read = scopes.during(options, (scope) => reader.read('resources/read', { uri }, { ...options, scope }))
    const { contents } = await read.catch((thrown) => {
      throw asResourceMissing(thrown, uri)
    })
    return resourceContentsIn(contents)
  }

  async getPrompt(
    name: string,
    args: Record<string, string> = {},
    options: RequestOptions & CallHandlers = {},
  ): Promise<JsonObject> {
    return this.request('prompts/get', { name, arguments: args }, options)
  }

  async complete(
    ref: CompletionRef,
    argument: { name: string; value: string },
    { context, ...options }: RequestOptions & { context?: Record<string, string> } = {},
  ): Promise<Completion> {
    const params = { ref, argument, ...(context && { context: { arguments: context } }) }
    return completionIn(await this.request('completion/complete', params, options))
  }

  onChange(listener: (change: Change) => void): () => void {
    return this.#parts.changes.onChange(listener)
  }

  async watch(uri: string): Promise<() => Promise<void>> {
    await this.#demand('resources/subscribe')
    return this.#parts.changes.watch(uri)
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    const { connection } = this.#parts
    this.#parts.logLevel = level
    if (!connection.current) return // the next session is told when it begins
    const { revision } = connection
    if (revision.logLevelFrom === 'session') await this.request('logging/setLevel', { level })
    else connection.current.speak(revision) // from now on every request says so
  }

  async ping(options: RequestOptions = {}): Promise<void> {
    const { connection } = this.#parts
    await connection.session(options)
    const { revision } = connection
    await connection.request(revision.methods.has('ping') ? 'ping' : 'server/discover', undefined, {
      ...options,
      repeatable: true,
    })
  }

  rootsChanged(): void {
    if (this.#parts.connection.revision.asking === 'requests') this.notify('notifications/roots/list_changed')
  }

  async request(method: string, params?: JsonObject, options: RequestOptions & CallHandlers = {}): Promise<JsonObject> {
    await this.#demand(method, options)
    const { connection, answerer: elicitationHandler, scopes } = this.#parts
    const asking = { connection, answerer: elicitationHandler }
    return scopes.during(
      options,
      async (scope) => (await requestWithInput(asking, { method, params }, { ...options, scope })).result,
    )
  }

  notify(method: string, params?: JsonObject): void {
    // Only what is known to be running may be cancelled, so that is left to the signals of the requests.
    if (method === 'notifications/cancelled') throw new TypeError('A request is cancelled by the signal that it was given')
    this.#parts.connection.current?.notify(method, params)
  }

  async close(): Promise<void> {
    this.#parts.heartbeat.stop()
    this.#parts.changes.close()
    await this.#parts.connection.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Connects if need be, for as long as the caller wants to wait. */
  async #demand(method: string, patience: WaitOptions = {}): Promise<void> {
    await this.#parts.connection.session(patience)
    await this.#parts.offers.require(method)
  }

  async #list(method: string, member: string, options: ListOptions): Promise<JsonObject[]> {
    await this.#parts.connection.session(options)
    if (!this.#parts.offers.has(member === 'prompts' ? 'prompts' : 'resources')) return []
    const { emptyCursor } = this.#parts.connection.revision
    const entries = await allPages(
      { method, member },
      { reader: this.#parts.reader, limits: this.#parts.limits, emptyCursor },
      options,
    )
    return entries.map(withSafeIcons)
  }
}
