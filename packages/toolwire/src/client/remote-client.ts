import type { JsonObject } from '../json.js'
import type { AuditLog } from '../policy/audit/log.js'
import { withSafeIcons } from '../tools/checks/safe-icons.js'
import { allPages } from './calls/all-pages.js'
import { asResourceMissing, completionIn, resourceContentsIn } from './calls/resource-missing.js'
import type { Client, ListOptions, ServerAbout, ToolsOf } from './client.js'
import { ClientParts, type ClientPartsOptions } from './client-parts.js'
import { CallFailure } from './errors.js'
import { requestWithInput } from './questions/input-rounds.js'
import type { RequestScope } from './questions/request-scopes.js'
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

  /** Opens the first session, so that an unreachable server is reported at once. */
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

  readonly call: Client['call'] = (name, args = {}, options = {}) => this.#parts.toolCaller.call(name, args, options)

  readonly resume: Client['resume'] = (taskId, options = {}) => this.#parts.toolCaller.resume(taskId, options)

  readonly listTools: Client['listTools'] = async (options = {}) => {
    await this.#parts.connection.session(options)
    return this.#parts.knownTools.list(options)
  }

  readonly listResources: Client['listResources'] = (options) => this.#list('resources/list', 'resources', options)

  readonly listResourceTemplates: Client['listResourceTemplates'] = (options) =>
    this.#list('resources/templates/list', 'resourceTemplates', options)

  readonly listPrompts: Client['listPrompts'] = (options) => this.#list('prompts/list', 'prompts', options)

  readonly readResource: Client['readResource'] = async (uri, options = {}) => {
    await this.#demand('resources/read', options)
    const { scopes, reader } = this.#parts
    const read = scopes.during(options, (scope) => reader.read('resources/read', { uri }, { ...options, scope }))
    const { contents } = await read.catch((thrown) => {
      throw asResourceMissing(thrown, uri)
    })
    return resourceContentsIn(contents)
  }

  readonly getPrompt: Client['getPrompt'] = (name, args = {}, options = {}) =>
    this.request('prompts/get', { name, arguments: args }, options)

  readonly complete: Client['complete'] = async (ref, argument, { context, ...options } = {}) => {
    const params = { ref, argument, ...(context && { context: { arguments: context } }) }
    return completionIn(await this.request('completion/complete', params, options))
  }

  readonly onChange: Client['onChange'] = (listener) => this.#parts.changes.onChange(listener)

  readonly watch: Client['watch'] = async (uri) => {
    await this.#demand('resources/subscribe')
    return this.#parts.changes.watch(uri)
  }

  readonly setLogLevel: Client['setLogLevel'] = async (level) => {
    const { connection } = this.#parts
    this.#parts.logLevel = level
    if (!connection.current) return // the next session sets it when it begins
    const { revision } = connection
    if (revision.logLevelFrom === 'session') await this.request('logging/setLevel', { level })
    else connection.current.setRevision(revision) // from now on every request carries the level
  }

  readonly ping: Client['ping'] = async (options = {}) => {
    const { connection } = this.#parts
    await connection.session(options)
    const method = connection.revision.methods.has('ping') ? 'ping' : 'server/discover'
    await connection.request(method, undefined, { ...options, repeatable: true })
  }

  rootsChanged(): void {
    if (this.#parts.connection.revision.asking === 'requests') this.notify('notifications/roots/list_changed')
  }

  readonly request: Client['request'] = async (method, params, options = {}) => {
    await this.#demand(method, options)
    const send = (scope?: RequestScope) => requestWithInput(this.#parts, { method, params }, { ...options, scope })
    return (await this.#parts.scopes.during(options, send)).result
  }

  notify(method: string, params?: JsonObject): void {
    // Only pending requests may be cancelled, so this is left to the signals of the requests.
    if (method === 'notifications/cancelled')
      throw new TypeError('A request cannot be cancelled by a notification. Abort the `signal` of the request')
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

  /** Connects if needed, within the caller's timeout; throws if the server lacks the capability for the method. */
  async #demand(method: string, patience: WaitOptions = {}): Promise<void> {
    const { connection } = this.#parts
    await connection.session(patience)
    const [, capability] = capabilityFor.find(([prefix]) => method.startsWith(prefix)) ?? []
    if (capability === undefined || (await connection.offersNow(capability, patience))) return
    // The first revisions had completion without declaring it.
    if (capability === 'completions' && !connection.revision.capabilities.completions) return
    throw new CallFailure('not_offered', `${this.name} does not offer ${capability}, so ${method} was not sent`)
  }

  /** The entries are untrusted. Readers check their members, because the type only says what to expect. */
  async #list<T extends JsonObject>(method: string, member: string, options: ListOptions = {}): Promise<T[]> {
    const { connection, reader } = this.#parts
    await connection.session(options)
    if (!(await connection.offersNow(member === 'prompts' ? 'prompts' : 'resources', options))) return []
    return (await allPages({ method, member }, reader, options)).map(withSafeIcons) as T[]
  }
}

/** The capabilities that methods need, by the prefix of the method. */
const capabilityFor = [
  ['tools/', 'tools'],
  ['resources/', 'resources'],
  ['prompts/', 'prompts'],
  ['completion/', 'completions'],
  ['logging/', 'logging'],
] as const
