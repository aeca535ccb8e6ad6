// Resources that callers watch are watched at the upstreams they come from, once however many watch them here.
import type { Server } from 'toolwire'
import type { Upstream } from '../upstreams/upstream.js'
import type { UpstreamCatalog } from './upstream-catalog.js'

export class WatchedResources {
  readonly #server: Server
  readonly #all: readonly UpstreamCatalog[]
  readonly #note: (text: string) => void
  readonly #watched = new Map<string, { readonly owner: Upstream; readonly begun: Promise<(() => Promise<void>) | undefined> }>()
  readonly #stops: readonly (() => void)[]

  constructor(server: Server, all: readonly UpstreamCatalog[], note: (text: string) => void) {
    this.#server = server
    this.#all = all
    this.#note = note
    const news = all.map(({ upstream }) =>
      upstream.onChange((change) => {
        // Nobody but whose it is has news of it.
        if (change.kind === 'resource' && this.#watched.get(change.uri)?.owner === upstream) server.resources.updated(change.uri)
      }),
    )
    this.#stops = [server.watched.onChange(() => this.follow()), ...news]
  }

  close(): void {
    for (const stop of this.#stops) stop()
    for (const uri of [...this.#watched.keys()]) this.#unwatch(uri)
  }

  /** Looks again at what callers watch: they may have begun before this was there, or before it was known where it comes from. */
  follow(): void {
    const { uris } = this.#server.watched
    for (const [uri, { owner }] of [...this.#watched]) if (!uris.has(uri) || this.#ownerOf(uri) !== owner) this.#unwatch(uri)
    for (const uri of uris) if (!this.#watched.has(uri)) this.#watch(uri)
  }

  #watch(uri: string): void {
    const owner = this.#ownerOf(uri)
    if (!owner) return
    const begun = owner
      .use((client) => client.watch(uri))
      .catch((thrown) => {
        this.#note(`${owner.id}: ${uri} cannot be watched: ${String(thrown)}`)
        this.#watched.delete(uri)
        return undefined
      })
    this.#watched.set(uri, { owner, begun })
  }

  /** The upstream from which it would be read. */
  #ownerOf(uri: string): Upstream | undefined {
    const id = this.#server.resources.serverOf(uri)
    return id === undefined ? undefined : this.#all.find(({ upstream }) => upstream.id === id)?.upstream
  }

  #unwatch(uri: string): void {
    const begun = this.#watched.get(uri)?.begun
    this.#watched.delete(uri)
    const ended = begun?.then((stop) => stop?.())
    ended?.catch((thrown) => this.#note(`${uri} is watched no more, but its server could not be told: ${String(thrown)}`))
  }
}
