// What a server has to offer: its tools, resources and prompts, the lists of those that a caller may see, and the news of changes.
import { mayDifferByCaller, type Policy, visibleTools } from '../../policy/policy.js'
import { encodePrompt, encodeResource, encodeTemplate } from '../../revisions/encode/encode-listed.js'
import { type Caller, holdsScopes } from '../../tools/caller.js'
import { type Prompt, type ReadyPrompt, readyPrompt } from '../../tools/prompt.js'
import { Registry, type RegistryChange } from '../../tools/registry.js'
import { type ReadyResource, type ReadyTemplate, type Resource, readyResource, type Template } from '../../tools/resource.js'
import type { AnyTool } from '../../tools/tool.js'
import { findResource, MatchBudget } from '../../tools/uris/find-resource.js'
import { type ServedTool, serveTool, withPolicies } from '../calls/served-tool.js'
import type { ServerOptions, ToolSet } from '../options.js'
import type { RequestContext } from '../request-context.js'
import { type ServedFeatures, servedFeatures } from '../served-features.js'
import type { ChangeNotifier } from './change-notifier.js'
import type { EncodedResult } from './encoded-result.js'
import { type ListKind, ListPages, type ListRules, type ListView } from './list-pages.js'
import { ToolLists } from './tool-lists.js'

/** The resources of a server: fixed ones and templates, under one set of names. */
class ResourceRegistry extends Registry<Resource | Template, ReadyResource | ReadyTemplate> {
  readonly #watchers = new Set<(uri: string) => void>()

  constructor(initial: { readonly [name: string]: Resource | Template } = {}) {
    super(readyResource, initial)
  }

  /** Tells clients that watch it that the contents behind a URI have changed. */
  updated(uri: string): void {
    for (const watcher of this.#watchers) watcher(uri)
  }

  onUpdate(watcher: (uri: string) => void): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }
}

type Parts = { readonly policies: readonly Policy[]; readonly changes: ChangeNotifier; readonly listing: ListRules }
type Owned = { readonly definition: { readonly server?: string } }
type Scoped = { readonly name: string; readonly definition: { readonly scopes?: readonly string[] } }

export class Catalog {
  readonly tools: Registry<AnyTool, ServedTool>
  readonly resources: ResourceRegistry
  readonly prompts: Registry<Prompt, ReadyPrompt>
  readonly #serves: () => ServedFeatures
  #policies: readonly Policy[]
  readonly #changes: ChangeNotifier
  readonly #lists: {
    tools: ToolLists
    resources: ListPages<ReadyResource>
    templates: ListPages<ReadyTemplate>
    prompts: ListPages<ReadyPrompt>
  }
  #offersTasks: boolean | undefined
  #scopes: readonly string[] | undefined

  constructor(options: ServerOptions<ToolSet>, { policies, changes, listing }: Parts) {
    this.#policies = policies
    this.#changes = changes
    this.tools = new Registry((name, tool) => serveTool(this.#policies)(name, tool), options.tools)
    this.resources = new ResourceRegistry(options.resources)
    this.prompts = new Registry(readyPrompt, options.prompts)
    const served = servedFeatures(options)
    this.#serves = options.serves ?? (() => served)
    this.#lists = {
      tools: new ToolLists(options.showingFor, listing),
      resources: new ListPages(resourceList, listing),
      templates: new ListPages(templateList, listing),
      prompts: new ListPages(promptList, listing),
    }
    this.#watch()
    if (options.fixed) for (const registry of [this.tools, this.prompts, this.resources]) registry.seal()
  }

  get serves(): ServedFeatures {
    return this.#serves()
  }

  /** Puts these around every tool; calls that are under way are behind the others. */
  guard(policies: readonly Policy[]): void {
    const before = this.#policies
    const tools = this.tools.all
    this.#policies = policies
    this.tools.renew((tool) => withPolicies(policies, tool))
    // Callers that saw some tools before must hear that they are gone.
    this.#changes.listChanged('tools', (caller) => visibleTools(before, tools, caller).length > 0)
  }

  /** Whether any tool may be called as a task. */
  get offersTasks(): boolean {
    this.#offersTasks ??= this.tools.all.some((tool) => tool.definition.longRunning !== undefined)
    return this.#offersTasks || this.serves.tasks === true
  }

  /** Every scope that a tool, a resource or a prompt asks for. */
  get scopes(): readonly string[] {
    this.#scopes ??= scopesOf([...this.tools.all, ...this.resources.all, ...this.prompts.all])
    return this.#scopes
  }

  listTools({ caller, revision, params, peerInfo }: RequestContext): EncodedResult | Promise<EncodedResult> {
    const entries = this.toolsFor(caller)
    const shared = () => !mayDifferByCaller(this.#policies, this.tools.all)
    const view = { entries, everything: entries === this.tools.all, shared, revision, cursor: params.cursor, caller }
    return this.#lists.tools.page(view, peerInfo.clientInfo)
  }

  /** Whether the caller may see this one. */
  shows(tool: ServedTool, caller: Caller): boolean {
    return visibleTools(this.#policies, [tool], caller).length > 0
  }

  /** Those that the caller may see. */
  toolsFor(caller: Caller): readonly ServedTool[] {
    // A policy only ever leaves tools out, so what is left are the served tools themselves.
    return visibleTools(this.#policies, this.tools.all, caller) as readonly ServedTool[]
  }

  /** Throws where a policy refuses to let this caller read what is another server's. */
  admitReading({ definition: { server } }: Owned, caller: Caller): void {
    if (server !== undefined) for (const policy of this.#policies) policy.read?.(server, caller)
  }

  listPrompts({ caller, revision, params }: RequestContext): EncodedResult | Promise<EncodedResult> {
    return this.#lists.prompts.page({ ...allowed(this.prompts.all, caller), revision, cursor: params.cursor, caller })
  }

  listResources({ caller, revision, params }: RequestContext): EncodedResult | Promise<EncodedResult> {
    const fixed = this.resources.all.filter((entry) => entry.kind === 'resource')
    return this.#lists.resources.page({ ...allowed(fixed, caller), revision, cursor: params.cursor, caller })
  }

  listTemplates({ caller, revision, params }: RequestContext): EncodedResult | Promise<EncodedResult> {
    const templates = this.resources.all.filter((entry) => entry.kind === 'template')
    return this.#lists.templates.page({ ...allowed(templates, caller), revision, cursor: params.cursor, caller })
  }

  #watch(): void {
    this.tools.onChange((change) => {
      this.#offersTasks = undefined
      this.#scopes = undefined
      this.#lists.tools.forget()
      this.#changes.listChanged('tools', (caller) => visibleTools(this.#policies, sidesOf(change), caller).length > 0)
    })
    this.prompts.onChange((change) => {
      this.#scopes = undefined
      this.#lists.prompts.forget()
      this.#changes.listChanged('prompts', (caller) => allowed(sidesOf(change), caller).entries.length > 0)
    })
    this.resources.onChange((change) => {
      this.#scopes = undefined
      this.#lists.resources.forget()
      this.#lists.templates.forget()
      this.#changes.listChanged('resources', (caller) => allowed(sidesOf(change), caller).entries.length > 0)
    })
    this.resources.onUpdate((uri) => this.#changes.resourceUpdated(uri, this.#readersOf(uri)))
  }

  /** Tells who may read a resource. Templates are matched once, however many callers watch it. */
  #readersOf(uri: string): (caller: Caller) => boolean {
    const budget = new MatchBudget()
    const has = (entry: ReadyResource | ReadyTemplate) =>
      typeof findResource([entry], uri, { sees: () => true, budget }) === 'object'
    let having: readonly Scoped[] | undefined
    return (caller) => {
      having ??= this.resources.all.filter(has)
      return having.some(({ definition }) => holdsScopes(caller, definition.scopes ?? []))
    }
  }
}

const resourceList: ListKind<ReadyResource> = { method: 'resources/list', member: 'resources', encode: encodeResource }
const templateList: ListKind<ReadyTemplate> = {
  method: 'resources/templates/list',
  member: 'resourceTemplates',
  encode: encodeTemplate,
}
const promptList: ListKind<ReadyPrompt> = { method: 'prompts/list', member: 'prompts', encode: encodePrompt }

const scopesOf = (entries: readonly Scoped[]): readonly string[] =>
  [...new Set(entries.flatMap(({ definition }) => definition.scopes ?? []))].sort()

const sidesOf = <Ready>({ before, after }: RegistryChange<Ready>): Ready[] => [before, after].filter((side) => side !== undefined)

type Allowed<Ready> = Pick<ListView<Ready>, 'entries' | 'everything' | 'shared'>

function allowed<Ready extends Scoped>(all: readonly Ready[], caller: Caller): Allowed<Ready> {
  const entries = all.filter((entry) => holdsScopes(caller, entry.definition.scopes ?? []))
  return {
    entries,
    everything: entries.length === all.length,
    shared: () => all.every((entry) => !entry.definition.scopes?.length),
  }
}
