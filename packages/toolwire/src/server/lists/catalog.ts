// The tools, resources and prompts of a server: their lists for each caller, and the announcements of changes.
import { mayDifferByCaller, type Policy, type ReadEnd, visibleTools } from '../../policy/policy.js'
import { encodePrompt, encodeResource } from '../../revisions/encode/encode-listed.js'
import { type Caller, holdsScopes } from '../../tools/caller.js'
import { type Prompt, type ReadyPrompt, readyPrompt } from '../../tools/prompt.js'
import { Registry } from '../../tools/registry.js'
import { type ReadyResource, type ReadyTemplate, type Resource, readyResource, type Template } from '../../tools/resource.js'
import type { AnyTool } from '../../tools/tool.js'
import { findResource, matchBudget } from '../../tools/uris/find-resource.js'
import { type Around, policiesAround, type ServedTool, serveTool, withPolicies } from '../calls/served-tool.js'
import type { ServerOptions, ToolSet } from '../options.js'
import type { RequestContext } from '../request-context.js'
import { type ServedFeatures, servedFeatures } from '../served-features.js'
import type { ChangeNotifier, ListName } from './change-notifier.js'
import { type EncodedResult, ListPages, type ListRules, type ListView } from './list-pages.js'
import { toolLists } from './tool-lists.js'

type Parts = { readonly policies: readonly Policy[]; readonly changes: ChangeNotifier; readonly listing: ListRules }
type Listed<Ready> = {
  readonly lists: readonly { forget(): void }[]
  readonly of: (sides: readonly Ready[], caller: Caller) => readonly unknown[]
}
type Owned = { readonly definition: { readonly server?: string } }
type Scoped = { readonly name: string; readonly definition: { readonly scopes?: readonly string[]; readonly server?: string } }

export class Catalog {
  readonly tools: Registry<AnyTool, ServedTool>
  /** Resources and templates, under one set of names. `updated` announces that the contents of a URI have changed. */
  readonly resources: Registry<Resource | Template, ReadyResource | ReadyTemplate> & { updated(uri: string): void }
  readonly prompts: Registry<Prompt, ReadyPrompt>
  readonly #serves: () => ServedFeatures
  #policies: readonly Policy[]
  #around: Around
  readonly #changes: ChangeNotifier
  readonly #lists: ReturnType<typeof listsOf>
  #offersTasks: boolean | undefined
  #scopes: readonly string[] | undefined

  constructor(options: ServerOptions<ToolSet>, { policies, changes, listing }: Parts) {
    this.#policies = policies
    this.#changes = changes
    this.#around = policiesAround(policies)
    this.tools = new Registry((name, tool) => serveTool(name, tool, this.#around), options.tools)
    const updated = (uri: string) => this.#changes.resourceUpdated(uri, this.#readersOf(uri))
    this.resources = Object.assign(new Registry(readyResource, options.resources), { updated })
    this.prompts = new Registry(readyPrompt, options.prompts)
    const served = servedFeatures(options)
    this.#serves = options.serves ?? (() => served)
    this.#lists = listsOf(options, listing)
    this.#watch()
    if (options.fixed) for (const registry of [this.tools, this.prompts, this.resources]) registry.seal()
  }

  get serves(): ServedFeatures {
    return this.#serves()
  }

  /** Replaces the policies of every tool; calls in progress keep the earlier ones. */
  guard(policies: readonly Policy[]): void {
    const before = this.#policies
    const tools = this.tools.all
    this.#policies = policies
    this.#around = policiesAround(policies)
    this.tools.renew((tool) => withPolicies(this.#around, tool))
    // Callers that saw tools before must hear that some may be gone.
    this.#changes.listChanged('tools', (caller) => visibleTools(before, tools, caller).length > 0)
    this.#announceGuard('prompts', this.prompts.all, before)
    this.#announceGuard('resources', this.resources.all, before)
    for (const list of Object.values(this.#lists)) list.forget()
  }

  get offersTasks(): boolean {
    this.#offersTasks ??= this.tools.all.some((tool) => tool.definition.longRunning !== undefined)
    return this.#offersTasks || this.serves.tasks === true
  }

  /** Every scope that a tool, a resource or a prompt requires. */
  get scopes(): readonly string[] {
    this.#scopes ??= scopesOf([...this.tools.all, ...this.resources.all, ...this.prompts.all])
    return this.#scopes
  }

  /** True if all callers see the same tools. */
  get showsAllTools(): boolean {
    return !mayDifferByCaller(this.#policies, this.tools.all)
  }

  listTools(x: RequestContext): EncodedResult | Promise<EncodedResult> {
    const entries = this.toolsFor(x.caller)
    return this.#lists.tools.page(x, { entries, everything: entries === this.tools.all, shared: () => this.showsAllTools })
  }

  /** Announces a change at another replica to callers that see an entry of the list, or may read the resource. */
  changedElsewhere(change: { readonly list: ListName } | { readonly uri: string }): void {
    if ('uri' in change) {
      this.#changes.resourceUpdated(change.uri, this.#readersOf(change.uri), false)
      return
    }
    const { list } = change
    const scoped: readonly Scoped[] = list === 'prompts' ? this.prompts.all : this.resources.all
    const sees = (caller: Caller) => (list === 'tools' ? this.toolsFor(caller).length > 0 : scoped.some(this.seenBy(caller)))
    this.#changes.listChanged(list, sees, false)
  }

  shows(tool: ServedTool, caller: Caller): boolean {
    return visibleTools(this.#policies, [tool], caller).length > 0
  }

  /** True if a policy hides the tool from the caller, so that every answer about it is that about an absent tool. */
  hides(tool: ServedTool, caller: Caller): boolean {
    return this.#policies.some((policy) => policy.hides?.(tool, caller))
  }

  /** Returns a check of resources and prompts: one that this caller may not use looks absent. */
  seenBy(caller: Caller): (entry: Scoped) => boolean {
    return seenUnder(this.#policies, caller)
  }

  toolsFor(caller: Caller): readonly ServedTool[] {
    // Policies only filter tools, so the remaining ones are the served tools themselves.
    return visibleTools(this.#policies, this.tools.all, caller) as readonly ServedTool[]
  }

  /** Throws if a policy forbids this caller to read from the server of the entry. Call the returned function when the read is over. */
  admitReading({ definition: { server } }: Owned, caller: Caller): ReadEnd | Promise<ReadEnd> {
    return server === undefined ? nothingToEnd : admittedBy(this.#policies, server, caller)
  }

  listPrompts(x: RequestContext): EncodedResult | Promise<EncodedResult> {
    return this.#lists.prompts.page(x, this.#allowed(this.prompts.all, x.caller))
  }

  listResources(x: RequestContext, kind: 'resource' | 'template'): EncodedResult | Promise<EncodedResult> {
    const entries = this.resources.all.filter((entry) => entry.kind === kind)
    return this.#lists[kind].page(x, this.#allowed(entries, x.caller))
  }

  #watch(): void {
    const { tools, prompts, resource, template } = this.#lists
    const allowedOf = (sides: readonly Scoped[], caller: Caller) => sides.filter(this.seenBy(caller))
    this.#announce(this.tools, 'tools', { lists: [tools], of: (sides, caller) => visibleTools(this.#policies, sides, caller) })
    this.#announce(this.prompts, 'prompts', { lists: [prompts], of: allowedOf })
    this.#announce(this.resources, 'resources', { lists: [resource, template], of: allowedOf })
  }

  /** Discards prepared lists on each change, and announces it to callers that see the entry before or after. */
  #announce<Ready>(registry: Pick<Registry<never, Ready>, 'onChange'>, name: ListName, { lists, of }: Listed<Ready>): void {
    registry.onChange(({ before, after }) => {
      this.#offersTasks = undefined
      this.#scopes = undefined
      for (const list of lists) list.forget()
      const sides = [before, after].filter((side) => side !== undefined)
      this.#changes.listChanged(name, (caller) => of(sides, caller).length > 0)
    })
  }

  /** Returns a check of who may read a resource. Templates are matched once, however many callers watch it. */
  #readersOf(uri: string): (caller: Caller) => boolean {
    const budget = matchBudget()
    const has = (entry: ReadyResource | ReadyTemplate) =>
      typeof findResource([entry], uri, { sees: () => true, budget }) === 'object'
    let having: readonly Scoped[] | undefined
    return (caller) => {
      having ??= this.resources.all.filter(has)
      return having.some(this.seenBy(caller))
    }
  }

  /** Announces a list to callers for whom the policies in force show other entries of it than those before. */
  #announceGuard(list: ListName, entries: readonly Scoped[], before: readonly Policy[]): void {
    const hasChanged = (caller: Caller): boolean => {
      const saw = seenUnder(before, caller)
      const sees = this.seenBy(caller)
      return entries.some((entry) => saw(entry) !== sees(entry))
    }
    // Every replica gets the guard itself.
    this.#changes.listChanged(list, hasChanged, false)
  }

  #allowed<Ready extends Scoped>(all: readonly Ready[], caller: Caller): ListView<Ready> {
    const entries = all.filter(this.seenBy(caller))
    const hidesServers = this.#policies.some((policy) => policy.hidesServer)
    const isForAll = ({ definition: { scopes = [], server } }: Ready) =>
      scopes.length === 0 && !(hidesServers && server !== undefined)
    return { entries, everything: entries.length === all.length, shared: () => all.every(isForAll) }
  }
}

const nothingToEnd: ReadEnd = () => undefined

function admittedBy(policies: readonly Policy[], server: string, caller: Caller): ReadEnd | Promise<ReadEnd> {
  const admitted: ReturnType<NonNullable<Policy['read']>>[] = []
  const end = () => {
    for (const one of admitted) {
      if (one instanceof Promise) one.then((endOne) => endOne?.(), nothingToEnd)
      else one?.()
    }
  }
  const refuse = (thrown: unknown): never => {
    end()
    throw thrown
  }
  try {
    for (const policy of policies) admitted.push(policy.read?.(server, caller))
  } catch (thrown) {
    refuse(thrown)
  }
  return admitted.some((one) => one instanceof Promise) ? Promise.all(admitted).then(() => end, refuse) : end
}

const listsOf = ({ showingFor }: ServerOptions<ToolSet>, rules: ListRules) => ({
  tools: toolLists(showingFor, rules),
  resource: new ListPages({ method: 'resources/list', member: 'resources', encode: encodeResource }, rules),
  template: new ListPages({ method: 'resources/templates/list', member: 'resourceTemplates', encode: encodeResource }, rules),
  prompts: new ListPages({ method: 'prompts/list', member: 'prompts', encode: encodePrompt }, rules),
})

const scopesOf = (entries: readonly Scoped[]): readonly string[] =>
  [...new Set(entries.flatMap(({ definition }) => definition.scopes ?? []))].sort()

/** Asks about each server once. */
function seenUnder(policies: readonly Policy[], caller: Caller): (entry: Scoped) => boolean {
  const servers = new Map<string, boolean>()
  const isServerSeen = (server: string): boolean => {
    const known = servers.get(server)
    if (known !== undefined) return known
    const seen = !policies.some((policy) => policy.hidesServer?.(server, caller))
    servers.set(server, seen)
    return seen
  }
  return ({ definition: { scopes = [], server } }) =>
    holdsScopes(caller, scopes) && (server === undefined || isServerSeen(server))
}
