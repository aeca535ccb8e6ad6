// What answers: a server's definitions, made ready, with the state that its answers need.
import type { JsonObject } from '../json.js'
import type { Single } from '../jsonrpc/parse.js'
import type { Answer, Application, Sealer } from '../peer/application.js'
import type { Conversation } from '../peer/conversation.js'
import type { Line } from '../peer/line.js'
import { sealer } from '../peer/seal.js'
import { access } from '../policy/access.js'
import { differs, type Policy, visible } from '../policy/policy.js'
import { allowance, rateLimit } from '../policy/rate-limit.js'
import { timeout } from '../policy/timeout.js'
import { validate } from '../policy/validate.js'
import type { Editions } from '../revisions/editions.js'
import { encodePrompt, encodeResource, encodeTemplate } from '../revisions/encode-listed.js'
import { encodeTool } from '../revisions/encode-tool.js'
import { editionsOf, pocketOnly } from '../revisions/index.js'
import type { Revision } from '../revisions/revision.js'
import { type Caller, holds } from '../tools/caller.js'
import { type Prompt, type ReadyPrompt, readyPrompt } from '../tools/prompt.js'
import { type Change, Registry } from '../tools/registry.js'
import type { ReadyResource, ReadyTemplate } from '../tools/resource.js'
import { Resources } from '../tools/resources.js'
import type { AnyTool } from '../tools/tool.js'
import { Admission } from './admission.js'
import { answer, refusal } from './answer.js'
import { Changes, type ListName } from './changes.js'
import type { Exchange } from './exchange.js'
import { type ListKind, Lists, type ListView } from './lists.js'
import { notice } from './notice.js'
import { implementation } from './opening.js'
import { type ServerOptions, type Settings, settingsOf, type ToolSet } from './options.js'
import type { Prepared } from './prepared.js'
import { type SpentTickets, spentHere } from './rounds.js'
import { type ServedTool, serveTool } from './served-tool.js'
import { stamped } from './stamp.js'
import { tasksHere } from './task-store.js'
import { Tasks } from './tasks.js'

type Scoped = { readonly name: string; readonly definition: { readonly scopes?: readonly string[] } }

export class App implements Application {
  readonly settings: Settings
  readonly editions: Editions
  readonly sealer: Sealer
  readonly spent: SpentTickets
  readonly admission: Admission
  readonly tools: Registry<AnyTool, ServedTool>
  readonly resources: Resources
  readonly prompts: Registry<Prompt, ReadyPrompt>
  readonly changes = new Changes()
  /** Completions of each caller; more than anyone types. */
  readonly suggestions = allowance({ calls: 600, per: 'minute' })
  readonly tasks: Tasks
  readonly serves: {
    readonly tools: boolean
    readonly resources: boolean
    readonly prompts: boolean
    readonly completions: boolean
  }
  readonly #policies: readonly Policy[]
  readonly #lists: {
    tools: Lists<ServedTool>
    resources: Lists<ReadyResource>
    templates: Lists<ReadyTemplate>
    prompts: Lists<ReadyPrompt>
  }
  #offersTasks: boolean | undefined
  readonly #named = new Map<Revision, JsonObject>()

  constructor(options: ServerOptions<ToolSet>) {
    this.settings = settingsOf(options)
    this.editions = options.profile === 'pocket' ? pocketOnly : editionsOf(options.revisions)
    this.sealer = sealer([options.secret ?? []].flat())
    this.spent = options.spentTickets ?? spentHere()
    this.admission = new Admission(this.settings.limits)
    this.tasks = new Tasks(options.taskStore ?? tasksHere(), (record) => this.changes.taskChanged(record))
    // Order: what refuses cheaply before what costs, and nothing but the clock between validation and the handler.
    this.#policies = [...(options.policies ?? []), rateLimit(), access(), validate(), timeout(this.settings.timeLimits)]
    this.tools = new Registry(serveTool(this.#policies), options.tools)
    this.resources = new Resources(options.resources)
    this.prompts = new Registry(readyPrompt, options.prompts)
    this.serves = servesOf(options)
    this.#lists = {
      tools: this.#list(toolList),
      resources: this.#list(resourceList),
      templates: this.#list(templateList),
      prompts: this.#list(promptList),
    }
    this.#watch()
  }

  /** Whether any tool may be called as a task. */
  get offersTasks(): boolean {
    this.#offersTasks ??= this.tools.all.some((tool) => tool.definition.longRunning !== undefined)
    return this.#offersTasks
  }

  receive(message: Single, conversation: Conversation, line: Line): Answer | undefined | Promise<Answer | undefined> {
    switch (message.kind) {
      case 'request':
        return answer(this, message.request, conversation, line)
      case 'notification':
        notice(message.notification, conversation)
        return undefined
      case 'response':
        conversation.questions.settle(message.response)
        return undefined
      case 'invalid':
        if (message.about === 'notification' || message.about === 'response') return undefined
        return { ...refusal(message.id ?? this.#unreadable(conversation), message.error), malformed: true }
    }
  }

  join(conversation: Conversation): void {
    this.changes.join(conversation)
  }

  leave(conversation: Conversation): void {
    this.changes.leave(conversation)
    conversation.cancelAll(new Error('The client is gone'))
  }

  async drain(ms: number): Promise<void> {
    this.changes.closeAll()
    const end = Date.now() + ms
    while (this.admission.inFlight > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  listTools({ caller, revision, params }: Exchange): Prepared | Promise<Prepared> {
    // A policy only ever leaves tools out, so what is left are the served tools themselves.
    const entries = visible(this.#policies, this.tools.all, caller) as readonly ServedTool[]
    const shared = () => !differs(this.#policies, this.tools.all)
    return this.#lists.tools.page({ entries, everything: entries === this.tools.all, shared, revision, cursor: params.cursor })
  }

  listPrompts({ caller, revision, params }: Exchange): Prepared | Promise<Prepared> {
    return this.#lists.prompts.page({ ...allowed(this.prompts.all, caller), revision, cursor: params.cursor })
  }

  listResources({ caller, revision, params }: Exchange): Prepared | Promise<Prepared> {
    const fixed = this.resources.all.filter((entry) => entry.kind === 'resource')
    return this.#lists.resources.page({ ...allowed(fixed, caller), revision, cursor: params.cursor })
  }

  listTemplates({ caller, revision, params }: Exchange): Prepared | Promise<Prepared> {
    const templates = this.resources.all.filter((entry) => entry.kind === 'template')
    return this.#lists.templates.page({ ...allowed(templates, caller), revision, cursor: params.cursor })
  }

  /** What every result carries, added to this one. */
  finish(result: JsonObject, method: string, about: { shared: boolean; revision: Revision }): JsonObject {
    return stamped(result, method, this, about)
  }

  get cache(): Settings['cache'] {
    return this.settings.cache
  }

  serverInfo(revision: Revision): JsonObject | undefined {
    if (!this.settings.named) return undefined
    const known = this.#named.get(revision) ?? implementation(this, revision)
    this.#named.set(revision, known)
    return known
  }

  /** The id of an error that answers something unreadable: null for older clients, none for newer ones. */
  #unreadable({ terms }: Conversation): null | undefined {
    const revision = terms?.revision ?? this.editions.all[0]
    return revision?.unreadableId === 'null' ? null : undefined
  }

  #list<Ready extends { readonly name: string }>(kind: ListKind<Ready>): Lists<Ready> {
    const finish: typeof this.finish = (result, method, about) => this.finish(result, method, about)
    return new Lists(kind, { sealer: this.sealer, pageSize: this.settings.pageSize, finish })
  }

  #watch(): void {
    const told = (list: ListName, sees: (caller: Caller) => boolean) => this.changes.listChanged(list, sees)
    this.tools.onChange((change) => {
      this.#offersTasks = undefined
      this.#lists.tools.forget()
      told('tools', (caller) => visible(this.#policies, sidesOf(change), caller).length > 0)
    })
    this.prompts.onChange((change) => {
      this.#lists.prompts.forget()
      told('prompts', (caller) => allowed(sidesOf(change), caller).entries.length > 0)
    })
    this.resources.onChange((change) => {
      this.#lists.resources.forget()
      this.#lists.templates.forget()
      told('resources', (caller) => allowed(sidesOf(change), caller).entries.length > 0)
    })
    this.resources.onUpdate((uri) => this.changes.resourceUpdated(uri, (caller) => this.#mayRead(uri, caller)))
    if (this.settings.fixed) for (const registry of [this.tools, this.prompts, this.resources]) registry.seal()
  }

  #mayRead(uri: string, caller: Caller): boolean {
    const matches = (entry: ReadyResource | ReadyTemplate) =>
      entry.kind === 'resource' ? entry.definition.uri === uri : entry.pattern.match(uri) !== undefined
    return this.resources.all.some((entry) => matches(entry) && holds(caller, entry.definition.scopes ?? []))
  }
}

const toolList: ListKind<ServedTool> = {
  method: 'tools/list',
  member: 'tools',
  encode: (tool, revision) => encodeTool(tool.listed, revision),
}
const resourceList: ListKind<ReadyResource> = { method: 'resources/list', member: 'resources', encode: encodeResource }
const templateList: ListKind<ReadyTemplate> = {
  method: 'resources/templates/list',
  member: 'resourceTemplates',
  encode: encodeTemplate,
}
const promptList: ListKind<ReadyPrompt> = { method: 'prompts/list', member: 'prompts', encode: encodePrompt }

const sidesOf = <Ready>({ before, after }: Change<Ready>): Ready[] => [before, after].filter((side) => side !== undefined)

type Allowed<Ready> = Pick<ListView<Ready>, 'entries' | 'everything' | 'shared'>

function allowed<Ready extends Scoped>(all: readonly Ready[], caller: Caller): Allowed<Ready> {
  const entries = all.filter((entry) => holds(caller, entry.definition.scopes ?? []))
  return {
    entries,
    everything: entries.length === all.length,
    shared: () => all.every((entry) => !entry.definition.scopes?.length),
  }
}

/** Tools may come later, so a server that names none still offers the list unless it is fixed. */
function servesOf({ tools, resources, prompts, fixed }: ServerOptions<ToolSet>): App['serves'] {
  const some = (named: object | undefined) => named !== undefined && (!fixed || Object.keys(named).length > 0)
  const completes = Object.values(prompts ?? {}).some(({ definition }) =>
    Object.values(definition.args ?? {}).some(({ complete }) => complete),
  )
  const fills = Object.values(resources ?? {}).some((entry) => entry.kind === 'template' && entry.definition.complete)
  return {
    tools: tools !== undefined || !(resources || prompts),
    resources: some(resources),
    prompts: some(prompts),
    completions: completes || fills || some(prompts),
  }
}
