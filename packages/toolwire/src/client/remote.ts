// The client itself: what its users call, put together from its parts.
import type { JsonObject } from '../json.js'
import type { Notification } from '../jsonrpc/message.js'
import type { Way } from '../peer/link.js'
import type { Editions } from '../revisions/editions.js'
import type { CallResult } from '../tools/calls.js'
import type { ResourceContents } from '../tools/content.js'
import { isLogLevel, type LogLevel } from '../tools/context.js'
import { Answerer } from './answerer.js'
import { Calling } from './calling.js'
import { Changes } from './changes.js'
import type {
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
import { Connection } from './connection.js'
import { completionIn, contentsIn, missing } from './found.js'
import { functionsOf } from './functions.js'
import { Heartbeat } from './heartbeat.js'
import { withIcons } from './icons.js'
import { introductionTo } from './introduction.js'
import { allPages } from './lists.js'
import { Offers } from './offers.js'
import { type ClientLimits, type ConnectOptions, usualLimits } from './options.js'
import { Reader } from './reader.js'
import type { RemoteTool } from './remote-tool.js'
import { converse } from './rounds.js'
import type { Session } from './session.js'
import { Toolbox } from './toolbox.js'
import { processVerdicts } from './verdicts.js'
import { warner } from './warnings.js'

export type RemoteOptions = ConnectOptions & {
  readonly way: Way
  readonly editions: Editions
  readonly principal: () => string | Promise<string>
}

export class Remote<S> implements Client<S> {
  readonly name: string
  readonly tools: ToolsOf<S>
  readonly #onLog: ConnectOptions['onLog']
  readonly #limits: ClientLimits
  readonly #connection: Connection
  readonly #answerer: Answerer
  readonly #reader: Reader
  readonly #toolbox: Toolbox
  readonly #calling: Calling
  readonly #changes: Changes
  readonly #heartbeat: Heartbeat
  readonly #offers: Offers
  #logLevel: LogLevel | undefined

  constructor(options: RemoteOptions) {
    const { way, editions, verdicts = processVerdicts, answers = {}, trusted = false, policies = [], listFirst = true } = options
    const warn = warner(options.onWarning)
    this.name = options.name ?? way.name
    this.#logLevel = options.logLevel
    this.#onLog = options.onLog
    this.#limits = { ...usualLimits, ...options.limits }
    this.#answerer = new Answerer({ answers, server: this.name, questionsPerMinute: this.#limits.questionsPerMinute, warn })
    this.#connection = new Connection({
      way,
      editions,
      limits: this.#limits,
      discover: options.discover ?? true,
      verdicts,
      introduction: (revision) => introductionTo(revision, { ...options, logLevel: this.#logLevel }),
      asked: ({ method, params = {} }, signal) =>
        this.#answerer.answer(method, params, { revision: this.#connection.revision, signal }),
      notified: (notification) => this.#notified(notification),
      began: (session) => this.#began(session),
      warn,
    })
    this.#offers = new Offers(this.#connection, this.name)
    const asking = { connection: this.#connection, answerer: this.#answerer }
    this.#reader = new Reader({ ...asking, cacheMs: this.#limits.cacheMs, principal: options.principal })
    this.#toolbox = new Toolbox({
      reader: this.#reader,
      limits: this.#limits,
      reading: () => ({ revision: this.#connection.revision, trusted, posts: this.#connection.current?.link.shape === 'posts' }),
      offered: () => this.#offers.has('tools'),
      warn,
    })
    this.#calling = new Calling({ ...asking, server: this.name, toolbox: this.#toolbox, policies, listFirst })
    this.#changes = new Changes({ connection: this.#connection, stale: (change) => this.#forget(change), warn })
    this.#heartbeat = new Heartbeat(this.#connection, options.pingEveryMs ?? 0)
    this.tools = functionsOf<S>((name, args, given) => this.call(name, args, given))
  }

  /** Makes the first connection, so that a server which cannot be reached is known at once. */
  async open(): Promise<this> {
    await this.#connection.session()
    return this
  }

  get server(): ServerAbout {
    return this.#connection.about
  }

  call(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<CallResult> {
    return this.#calling.call(name, args, options)
  }

  resume(taskId: string, options: CallOptions & { tool?: string } = {}): Promise<CallResult> {
    return this.#calling.resume(taskId, options)
  }

  async listTools(options: ListOptions = {}): Promise<readonly RemoteTool[]> {
    await this.#connection.session()
    return this.#toolbox.list(options)
  }

  async listResources(options: ListOptions = {}): Promise<readonly RemoteResource[]> {
    // Strangers' entries: their members are checked by whoever uses them, and their type says what to expect.
    return (await this.#list('resources/list', 'resources', options)) as RemoteResource[]
  }

  async listResourceTemplates(options: ListOptions = {}): Promise<readonly RemoteTemplate[]> {
    return (await this.#list('resources/templates/list', 'resourceTemplates', options)) as RemoteTemplate[]
  }

  async listPrompts(options: ListOptions = {}): Promise<readonly RemotePrompt[]> {
    return (await this.#list('prompts/list', 'prompts', options)) as RemotePrompt[]
  }

  async readResource(uri: string, options: RequestOptions = {}): Promise<readonly ResourceContents[]> {
    await this.#offers.demand('resources/read')
    const { contents } = await this.#reader.read('resources/read', { uri }, options).catch((thrown) => {
      throw missing(thrown, uri)
    })
    return contentsIn(contents)
  }

  async getPrompt(name: string, args: Record<string, string> = {}, options: RequestOptions = {}): Promise<JsonObject> {
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
    return this.#changes.onChange(listener)
  }

  async watch(uri: string): Promise<() => Promise<void>> {
    await this.#offers.demand('resources/subscribe')
    return this.#changes.watch(uri)
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    const { revision } = this.#connection
    this.#logLevel = level
    if (revision.logLevelFrom === 'session') await this.request('logging/setLevel', { level })
    else this.#connection.current?.speak(revision) // from now on every request says so
  }

  async ping(options: RequestOptions = {}): Promise<void> {
    await this.#connection.session()
    const { revision } = this.#connection
    await this.#connection.request(revision.methods.has('ping') ? 'ping' : 'server/discover', undefined, {
      ...options,
      repeatable: true,
    })
  }

  rootsChanged(): void {
    if (this.#connection.revision.asking === 'requests') this.notify('notifications/roots/list_changed')
  }

  async request(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    await this.#offers.demand(method)
    const asking = { connection: this.#connection, answerer: this.#answerer }
    return (await converse(asking, { method, params }, options)).result
  }

  notify(method: string, params?: JsonObject): void {
    this.#connection.current?.notify(method, params)
  }

  async close(): Promise<void> {
    this.#heartbeat.stop()
    this.#changes.close()
    await this.#connection.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #list(method: string, member: string, options: ListOptions): Promise<JsonObject[]> {
    await this.#connection.session()
    if (!this.#offers.has(member === 'prompts' ? 'prompts' : 'resources')) return []
    const { emptyCursor } = this.#connection.revision
    const entries = await allPages({ method, member }, { reader: this.#reader, limits: this.#limits, emptyCursor }, options)
    return entries.map(withIcons)
  }

  #began(session: Session): void {
    this.#toolbox.reset()
    this.#reader.cache.forget(() => true)
    this.#changes.began(session)
    this.#heartbeat.began(session)
    const level = this.#logLevel
    if (level && session.revision?.logLevelFrom === 'session' && session.capabilities?.logging !== undefined)
      void session
        .request('logging/setLevel', { level })
        .catch((thrown) => this.#connection.warn(`The log level could not be set: ${String(thrown)}`))
  }

  #notified(notification: Notification): void {
    if (this.#changes.take(notification)) return
    if (notification.method === 'notifications/message') this.#logged(notification.params)
  }

  #logged(params: JsonObject | undefined): void {
    if (!this.#onLog || !params || !isLogLevel(params.level) || params.data === undefined) return
    this.#onLog({ level: params.level, data: params.data, ...(typeof params.logger === 'string' && { logger: params.logger }) })
  }

  #forget(change: Change): void {
    if (change.kind === 'tools') this.#toolbox.markStale()
    if (change.kind === 'resource') this.#reader.cache.forgetOne('resources/read', { uri: change.uri })
    else this.#reader.cache.forget((method) => method.startsWith(`${change.kind}/`) && method !== 'resources/read')
  }
}
