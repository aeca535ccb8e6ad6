// The server that callers of one endpoint see. Its tools, resources and prompts are those of its upstreams, and follow their changes.

import { type Prompt, type Resource, type Server, type ServerOptions, server, type Template } from 'toolwire'
import type { ReadyTool } from 'toolwire/guard'
import type { AnyTool, types } from 'toolwire/relay'
import { withDeadline } from '../bounds/deadline.js'
import { matchesAny } from '../config/globs.js'
import { SuspendedCalls } from '../relay/suspended-calls.js'
import type { Upstream } from '../upstreams/upstream.js'
import { declaredExtension, gatewayId } from './definitions/gateway-loop.js'
import { aggregatePrompts } from './definitions/prompts.js'
import { aggregateResources } from './definitions/resources.js'
import {
  type Aggregate,
  type DefinitionContext,
  DefinitionMemo,
  hasNameConflict,
  ListedUris,
  type SettledEntries,
  type WithheldEntry,
} from './definitions/settle-names.js'
import { aggregateTools } from './definitions/tools.js'
import { checkInstructions, instructionsOf } from './instructions.js'
import { type CatalogKind, catalogKinds, type UpstreamCatalog, UpstreamCatalogs } from './upstream-catalog.js'
import { watchResources } from './watched-resources.js'

export type AggregateServerOptions = Partial<
  Pick<DefinitionContext, 'suspendedCalls' | 'onProgress' | 'withholdReasons' | 'isAccepted' | 'ownGatewayId'>
> & {
  /** Their order has no meaning: a name that two upstreams have is offered by neither. */
  readonly upstreams: readonly Upstream[]
  /** Globs over the names that callers see; all names if undefined. */
  readonly only?: readonly string[]
  /** The server's name and version, and the policies, limits and HTTP options around every call. */
  readonly server: Omit<
    ServerOptions<Record<never, never>>,
    'tools' | 'resources' | 'prompts' | 'serves' | 'instructions' | 'fixed' | 'timeout'
  > & {
    readonly http?: Parameters<typeof server>[0]['http']
  }
  /** Catalogs of upstreams, which several aggregate servers may share. */
  readonly catalogs?: UpstreamCatalogs
  /** Is an upstream withheld, because another server than the accepted one runs under its name? */
  readonly isAnother?: ((upstream: Upstream) => boolean) | undefined
  /** Called with each tool that is made, before it is offered. */
  readonly onRegister?: ((tool: ReadyTool) => void) | undefined
  /** Called after definitions were made or removed. */
  readonly onMade?: (() => void) | undefined
  /** Receives a note about each definition that could not be offered. */
  readonly onNote?: (text: string) => void
}

/** Time for upstreams to open at the start. */
const eagerStartMs = 5_000
/** Limit of notes at once about names that several servers have. */
const mostNoted = 20

export class AggregateServer {
  readonly server: Server
  readonly #options: AggregateServerOptions
  readonly #shared: UpstreamCatalogs
  readonly #making: DefinitionContext
  readonly #withheld = new Map<CatalogKind, readonly WithheldEntry[]>(catalogKinds.map((kind) => [kind, []]))
  /** The upstreams of the offered definitions. */
  readonly #owners = new Map<CatalogKind, ReadonlySet<string | undefined>>()
  /** The catalogs of its upstreams, as far as they have been read. */
  catalogs: readonly UpstreamCatalog[] = []
  #only: readonly string[] | undefined
  #instructions: Awaited<ReturnType<typeof checkInstructions>> = { passed: [], withheld: [] }
  /** The inputs of the last check of the instructions. */
  #checked: readonly unknown[] = []
  #memos = newMemos()
  #stops: readonly (() => void)[] = []
  #watching: ReturnType<typeof watchResources> | undefined
  readonly #underWay = new Map<CatalogKind, PendingRefresh>()
  /** Upstreams that open at the first use. */
  #lazy: UpstreamCatalog[] = []
  readonly #serves = servesOf(() => this.catalogs)

  constructor(options: AggregateServerOptions) {
    const { server: about, catalogs = new UpstreamCatalogs(), suspendedCalls = new SuspendedCalls(), onRegister } = options
    this.#options = options
    this.#shared = catalogs
    const here = options.ownGatewayId ?? gatewayId(about.secret)
    this.#making = {
      suspendedCalls,
      ownGatewayId: here,
      onProgress: options.onProgress,
      withholdReasons: options.withholdReasons ?? (async () => new Map()),
      isAccepted: options.isAccepted ?? (() => true),
      listedUris: new ListedUris(),
      offered: (exposed) => this.server.tools.get(exposed)?.definition,
      isWanted: (exposed) => !this.#only || matchesAny(this.#only, exposed),
    }
    this.server = server({
      logging: true,
      ...about,
      extensions: { ...about.extensions, ...declaredExtension(here) },
      ...{ tools: {}, resources: {}, prompts: {} },
      // Asked at the beginning of a session, and for each request about tools, resources or prompts.
      serves: () => {
        this.#openLazy()
        return this.#serves
      },
      instructions: (tools) =>
        instructionsOf(this.#instructions.passed, new Set(tools.map(({ definition }) => definition.server ?? ''))),
    })
    if (onRegister) this.server.tools.onRegister(onRegister)
    this.use(options)
  }

  /** Offers the catalogs of these upstreams from now on, and follows only their changes. */
  use({ upstreams, only }: Pick<AggregateServerOptions, 'upstreams' | 'only'>): void {
    this.close()
    this.#only = only
    this.catalogs = upstreams.map(this.#shared.of)
    this.#lazy = this.catalogs.filter(({ upstream }) => upstream.config.lazy)
    // Earlier definitions may call an upstream that is gone.
    this.#memos = newMemos()
    this.#watching = watchResources(this.server, this.catalogs, this.#note)
    this.#stops = this.catalogs.map((one) => one.follow({ changed: (kind) => this.#follow(kind), note: this.#note }))
    this.refresh()
  }

  /** Settles when all definitions have been made. */
  async made(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all([...this.#underWay.values()].map(({ ended }) => ended))
  }

  /** Makes the definitions again, because acceptance or withholding may have changed. */
  refresh(kinds: readonly CatalogKind[] = catalogKinds): void {
    for (const kind of kinds) void this.#follow(kind)
  }

  /** True if it offers anything of the upstream. */
  offers(id: string): boolean {
    return [...this.#owners.values()].some((owners) => owners.has(id))
  }

  /** Definitions of the upstreams that are not offered. */
  get withheld(): readonly WithheldEntry[] {
    return [...this.#withheld.values()].flat()
  }

  /**
   * Opens all upstreams, or only those that open eagerly, and waits until each has been read or has failed. The eager ones are awaited only
   * for a limited time, so that a silent upstream does not hold up the others. Its definitions are offered when they arrive.
   */
  async open(which: 'all' | 'eager' = 'all', patienceMs = eagerStartMs): Promise<void> {
    const opening = this.catalogs.filter(({ upstream }) => which === 'all' || !upstream.config.lazy).map((one) => one.open())
    const opened = Promise.all(opening)
    await (which === 'all' ? opened : withDeadline(patienceMs, opened, () => undefined))
  }

  /** Stops following its upstreams, but leaves them open, because others may use them. */
  close(): void {
    this.#watching?.close()
    for (const stop of this.#stops) stop()
  }

  /** Nobody waits for it, so that a slow upstream does not hold up the others. Its definitions are announced when they arrive. */
  #openLazy(): void {
    for (const catalog of this.#lazy.splice(0)) if (catalog.upstream.status.state === 'idle') void catalog.open()
  }

  readonly #note = (text: string): void => this.#options.onNote?.(text)

  /** Makes the definitions of one kind, one run at a time. If a change arrives during a run, the run is repeated. */
  #follow(kind: CatalogKind): Promise<void> {
    const current = this.#underWay.get(kind)
    if (current) {
      current.isOvertaken = true
      return current.ended
    }
    const begun = { isOvertaken: false, ended: Promise.resolve() }
    this.#underWay.set(kind, begun)
    begun.ended = this.#make(kind, begun)
      .catch((thrown) => this.#note(`The list of ${kind} could not be updated, and stays as it was: ${String(thrown)}`))
      .finally(() => this.#underWay.delete(kind))
    return begun.ended
  }

  async #make<K extends CatalogKind>(kind: K, underWay: PendingRefresh): Promise<void> {
    const registries: { readonly [K in CatalogKind]: Registry<Definitions[K]> } = this.server
    do {
      underWay.isOvertaken = false
      if (kind === 'tools') await this.#checkInstructions()
      // All catalogs, because a URI of a server that is withheld belongs to no other server either.
      if (kind === 'resources') await this.#making.listedUris.take(this.catalogs)
      const { entries, withheld } = await makers[kind](this.#offered(kind), this.#making, this.#memos[kind])
      this.#owners.set(kind, new Set(entries.map(([, { definition }]) => definition.server)))
      if (!underWay.isOvertaken) await registries[kind].setInTurns(entries, () => !underWay.isOvertaken)
      if (kind === 'resources') this.#watching?.catalogChanged()
      const before = new Set(this.#withheld.get(kind)?.map(({ why }) => why))
      this.#withheld.set(kind, withheld)
      const fresh = [...new Set(withheld.filter(hasNameConflict).map(({ why }) => why))].filter((why) => !before.has(why))
      for (const why of fresh.slice(0, mostNoted)) this.#note(why)
      if (fresh.length > mostNoted) this.#note(`${fresh.length - mostNoted} more ${kind} have the same conflict`)
    } while (underWay.isOvertaken)
    this.#options.onMade?.()
  }

  async #checkInstructions(): Promise<void> {
    const checked = this.catalogs.flatMap(({ upstream, instructions, tools }) => [upstream.config, instructions, tools])
    if (checked.length === this.#checked.length && checked.every((one, at) => one === this.#checked[at])) return
    const before = new Set(this.#instructions.withheld)
    this.#instructions = await checkInstructions(this.catalogs)
    this.#checked = checked
    for (const words of this.#instructions.withheld) if (!before.has(words)) this.#note(words)
  }

  /** If another server than the accepted one runs under a name, its resources and prompts are withheld; its tools wait one by one. */
  #offered(kind: CatalogKind): readonly UpstreamCatalog[] {
    const { isAnother } = this.#options
    if (kind === 'tools' || !isAnother) return this.catalogs
    return this.catalogs.filter(({ capabilities, upstream }) => capabilities === undefined || !isAnother(upstream))
  }
}

type PendingRefresh = { isOvertaken: boolean; ended: Promise<void> }
type Definitions = { readonly tools: AnyTool; readonly resources: Resource | Template; readonly prompts: Prompt }
type Memos = { readonly [K in CatalogKind]: DefinitionMemo<Definitions[K]> }
type Registry<D> = { setInTurns(entries: SettledEntries<D>['entries'], isWanted: () => boolean): Promise<unknown> }

const newMemos = (): Memos => ({ tools: new DefinitionMemo(), resources: new DefinitionMemo(), prompts: new DefinitionMemo() })

const makers: { readonly [K in CatalogKind]: Aggregate<Definitions[K]> } = {
  tools: aggregateTools,
  resources: aggregateResources,
  prompts: aggregatePrompts,
}

const incomplete =
  'Some servers of this gateway are not available at the moment, and it may belong to one of them. Try again later.'

/** The features of all upstreams together. A session hears of them once, so one that is not connected yet may have all of them. */
function servesOf(all: () => readonly UpstreamCatalog[]): types.ServedFeatures {
  const mayHave = (name: string) =>
    all().some(({ capabilities }) => capabilities === undefined || capabilities[name] !== undefined)
  return {
    get tools() {
      return mayHave('tools')
    },
    get resources() {
      return mayHave('resources')
    },
    get prompts() {
      return mayHave('prompts')
    },
    get completions() {
      return mayHave('completions')
    },
    get incomplete() {
      return all().every(({ isOffered }) => isOffered) ? undefined : incomplete
    },
    // Announced once for each session, and an upstream with tasks may connect later.
    tasks: true,
  }
}
