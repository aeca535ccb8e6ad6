// Watches resources at their upstreams while callers watch them here: once for each resource, however many callers watch it.
import type { Server } from 'toolwire'
import { wire } from 'toolwire/relay'
import type { Upstream } from '../upstreams/upstream.js'
import type { UpstreamCatalog } from './upstream-catalog.js'

type Watch = { readonly owner: Upstream; readonly begun: Promise<(() => Promise<void>) | undefined> }

export function watchResources(server: Server, all: readonly UpstreamCatalog[], note: (text: string) => void) {
  const watches = new Map<string, Watch>()
  /** The upstream that the resource is read from. */
  const ownerOf = (uri: string): Upstream | undefined => {
    const id = server.resources.serverOf(uri)
    return id === undefined ? undefined : all.find(({ upstream }) => upstream.id === id)?.upstream
  }
  const watch = (uri: string): void => {
    const owner = ownerOf(uri)
    if (!owner) return
    const begun = owner
      .use((client) => client.watch(uri))
      .catch((thrown) => {
        note(`${owner.id}: ${uri} cannot be subscribed to: ${String(thrown)}`)
        watches.delete(uri)
        return undefined
      })
    watches.set(uri, { owner, begun })
  }
  const unwatch = (uri: string): void => {
    const ended = watches.get(uri)?.begun.then((stop) => stop?.())
    watches.delete(uri)
    ended?.catch((thrown) =>
      note(`The subscription to ${uri} ended here, but the server could not be informed: ${String(thrown)}`),
    )
  }
  /** Compares the watches with the callers' wishes. A caller may start to watch before the resource or its owner is known. */
  const follow = (): void => {
    const { uris } = server.watched
    for (const [uri, { owner }] of [...watches]) if (!uris.has(uri) || ownerOf(uri) !== owner) unwatch(uri)
    for (const uri of uris) if (!watches.has(uri)) watch(uri)
  }
  const news = all.map(({ upstream }) =>
    upstream.onChange((change) => {
      if (change.kind !== 'resource') return
      // Only the owner of a resource can report its updates. The callers are told the URI that they watch.
      for (const [uri, { owner }] of watches)
        if (owner === upstream && wire.isWithin(change.uri, uri)) server.resources.updated(uri)
    }),
  )
  const stops = [server.watched.onChange(follow), ...news]
  const close = (): void => {
    for (const stop of stops) stop()
    for (const uri of [...watches.keys()]) unwatch(uri)
  }
  return { follow, close }
}
