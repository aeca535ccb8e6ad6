// The latest definitions of an upstream. They stay in use while the upstream cannot be reached.
import { type JsonObject, RpcError } from 'toolwire'
import type { Client } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import type { Upstream } from '../upstreams/upstream.js'
import { readInstructions } from './instructions.js'
import { ListRetries } from './list-retries.js'
import { RereadPace } from './reread-pace.js'

type ListedBy<K extends 'listTools' | 'listResources' | 'listResourceTemplates' | 'listPrompts'> = Awaited<ReturnType<Client[K]>>
export type CatalogKind = 'tools' | 'resources' | 'prompts'
export const catalogKinds: readonly CatalogKind[] = ['tools', 'resources', 'prompts']

type CatalogFollower = {
  readonly changed: (kind: CatalogKind) => void | Promise<void>
  readonly note: (text: string) => void
}

/** One catalog for each upstream, so that an upstream is read once for all aggregate servers. */
export class UpstreamCatalogs {
  readonly #all = new WeakMap<Upstream, UpstreamCatalog>()

  readonly of = (upstream: Upstream): UpstreamCatalog => {
    const catalog = this.#all.get(upstream) ?? new UpstreamCatalog(upstream)
    this.#all.set(upstream, catalog)
    return catalog
  }
}

export class UpstreamCatalog {
  readonly upstream: Upstream
  tools: ListedBy<'listTools'> = []
  readonly #listed = new Set<CatalogKind>()
  readonly #offered = new Set<CatalogKind>()
  resources: ListedBy<'listResources'> = []
  templates: ListedBy<'listResourceTemplates'> = []
  prompts: ListedBy<'listPrompts'> = []
  /** The upstream's capabilities; undefined until it has connected. */
  capabilities: JsonObject | undefined
  /** The upstream's instructions for models, unless they are withheld. */
  instructions: string | undefined
  #rawInstructions: string | undefined
  readonly #followers = new Set<CatalogFollower>()
  readonly #stale = new Set<CatalogKind>()
  readonly #pace = new RereadPace()
  readonly #retries = new ListRetries((kind) => void this.#read([kind]))
  #reading: Promise<void> | undefined

  constructor(upstream: Upstream) {
    this.upstream = upstream
    upstream.onChange((change) => {
      if (change.kind === 'status') {
        if (this.#isReady) void this.#read(catalogKinds)
        else for (const kind of catalogKinds) this.#retries.clear(kind)
      } else if (change.kind !== 'resource' && change.kind !== 'replaced') void this.#read([change.kind])
    })
  }

  /** Was this kind listed once? Until then, the upstream may have anything of it. */
  isListed(kind: CatalogKind): boolean {
    return this.#listed.has(kind)
  }

  /** Has everything that it lists been offered once? */
  get isOffered(): boolean {
    return this.#offered.size === catalogKinds.length
  }

  get #isReady(): boolean {
    return this.upstream.status.state === 'ready'
  }

  /** Reports changes until the returned function is called. */
  follow(follower: CatalogFollower): () => void {
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }

  /** Opens the upstream, and waits until it has been read or has failed. */
  async open(): Promise<void> {
    if (this.#isReady) await (this.capabilities ? this.#reading : this.#read(catalogKinds))
    else await this.upstream.start()
    await this.#reading
  }

  #read(stale: readonly CatalogKind[]): Promise<void> {
    for (const kind of stale) this.#stale.add(kind)
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Changes that arrive during a read are read after it. */
  async #readAll(): Promise<void> {
    for (const kind of this.#stale) {
      await this.#pace.turn()
      this.#stale.delete(kind)
      await this.#pace.timed(() => this.#readOne(kind))
    }
  }

  async #readOne(kind: CatalogKind): Promise<void> {
    try {
      await this.upstream.use(async (client) => {
        this.capabilities = client.server.capabilities
        await this.#updateInstructions(client.server)
        await this.#readKind(kind, client)
      })
      await Promise.all([...this.#followers].map(({ changed }) => changed(kind)))
      this.#offered.add(kind)
      this.#retries.clear(kind)
    } catch (thrown) {
      this.#failed(kind, String(thrown))
    }
  }

  /** Reads the list again later. An upstream that is not ready has its lists read when it is. */
  #failed(kind: CatalogKind, reason: string): void {
    const words = `${this.upstream.id}: its ${kind} could not be listed, and stay as they were: ${reason}`
    if (this.#retries.reason(kind) !== reason) for (const { note } of this.#followers) note(words)
    if (this.#isReady) this.#retries.schedule(kind, reason)
  }

  async #updateInstructions(about: types.ServerAbout): Promise<void> {
    const { instructions: said } = about
    if (said === this.#rawInstructions) return
    this.#rawInstructions = said
    const { text, withheld } = await readInstructions(about, this.upstream)
    this.instructions = text
    if (withheld !== undefined) for (const { note } of this.#followers) note(withheld)
  }

  async #readKind(kind: CatalogKind, client: Client): Promise<void> {
    const fresh = { fresh: true }
    if (kind === 'tools') this.tools = await emptyIfUnsupported(client.listTools(fresh))
    else if (kind === 'prompts') this.prompts = await emptyIfUnsupported(client.listPrompts(fresh))
    else {
      const listing = [
        emptyIfUnsupported(client.listResources(fresh)),
        emptyIfUnsupported(client.listResourceTemplates(fresh)),
      ] as const
      const [resources, templates] = await Promise.all(listing)
      this.resources = resources
      this.templates = templates
    }
    this.#listed.add(kind)
  }
}

const methodNotFound = -32601

/** Some servers with resources do not know templates, and a restarted server may have other capabilities. */
async function emptyIfUnsupported<T>(listing: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await listing
  } catch (thrown) {
    if (thrown instanceof RpcError && thrown.code === methodNotFound) return []
    throw thrown
  }
}
