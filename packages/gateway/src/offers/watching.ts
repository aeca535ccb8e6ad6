// Resources that callers watch are watched at the upstreams they come from, once however many watch them here.
import type { Server } from 'toolwire'
import type { Upstream } from '../upstreams/upstream.js'
import type { Holdings } from './holdings.js'

export class Watching {
  readonly #server: Server
  readonly #all: readonly Holdings[]
  readonly #note: (text: string) => void
  readonly #watched = new Map<string, Promise<(() => Promise<void>) | undefined>>()
  readonly #stops: readonly (() => void)[]

  constructor(server: Server, all: readonly Holdings[], note: (text: string) => void) {
    this.#server = server
    this.#all = all
    this.#note = note
    const news = all.map(({ upstream }) =>
      upstream.onChange((change) => {
        if (change.kind === 'resource' && this.#watched.has(change.uri)) server.resources.updated(change.uri)
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
    for (const uri of uris) if (!this.#watched.has(uri)) this.#watch(uri)
    for (const uri of [...this.#watched.keys()]) if (!uris.has(uri)) this.#unwatch(uri)
  }

  #watch(uri: string): void {
    const owner = ownerOf(uri, this.#all)
    if (!owner) return
    const begun = owner
      .use((client) => client.watch(uri))
      .catch((thrown) => {
        this.#note(`${owner.id}: ${uri} cannot be watched: ${String(thrown)}`)
        this.#watched.delete(uri)
        return undefined
      })
    this.#watched.set(uri, begun)
  }

  #unwatch(uri: string): void {
    const begun = this.#watched.get(uri)
    this.#watched.delete(uri)
    const ended = begun?.then((stop) => stop?.())
    ended?.catch((thrown) => this.#note(`${uri} is watched no more, but its server could not be told: ${String(thrown)}`))
  }
}

/** The upstream that lists it, else the one whose template says the most about it. */
function ownerOf(uri: string, all: readonly Holdings[]): Upstream | undefined {
  const lister = all.find(({ resources }) => resources.some((listed) => listed.uri === uri))
  if (lister) return lister.upstream
  const fitting = all.flatMap(({ upstream, templates }) =>
    templates.flatMap(({ uriTemplate }) => {
      const start = startOf(String(uriTemplate))
      return uri.startsWith(start) ? [{ upstream, length: start.length }] : []
    }),
  )
  return fitting.sort((one, other) => other.length - one.length)[0]?.upstream
}

function startOf(uriTemplate: string): string {
  const open = uriTemplate.indexOf('{')
  return open === -1 ? uriTemplate : uriTemplate.slice(0, open)
}
