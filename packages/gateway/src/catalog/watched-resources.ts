// Watches resources at their upstreams while callers watch them here: once for each resource, however many callers watch it.
import type { Server } from 'toolwire'
import { wire, yieldWhenBusy } from 'toolwire/relay'
import type { Upstream } from '../upstreams/upstream.js'
import type { UpstreamCatalog } from './upstream-catalog.js'

type Watch = { readonly owner: Upstream; readonly begun: Promise<(() => Promise<void>) | undefined> }

export function watchResources(server: Server, all: readonly UpstreamCatalog[], note: (text: string) => void) {
  const watches = new Map<string, Watch>()
  /** Resources without a usable owner, or whose owner refuses to report changes. They are tried again when the catalog has changed. */
  const unwatchable = new Set<string>()
  let isCatalogNew = false
  let isClosed = false
  const failed = (thrown: unknown): void => note(`Subscriptions to resources could not be followed: ${String(thrown)}`)
  /** The upstream that the resource is read from. */
  const ownerOf = (uri: string): Upstream | undefined => {
    const id = server.resources.serverOf(uri)
    return id === undefined ? undefined : all.find(({ upstream }) => upstream.id === id)?.upstream
  }
  const watch = (uri: string): void => {
    const owner = ownerOf(uri)
    // The gateway's own login may see other changes than the login of the caller that watches.
    if (!owner || owner.isPerCaller) {
      unwatchable.add(uri)
      return
    }
    const begun = owner
      .use((client) => client.watch(uri))
      .catch((thrown) => {
        note(`${owner.id}: ${uri} cannot be subscribed to: ${String(thrown)}`)
        if (watches.get(uri)?.begun === begun) {
          watches.delete(uri)
          unwatchable.add(uri)
        }
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
  const follow = repeated(async () => {
    const { uris } = server.watched
    const isCheckingOwners = isCatalogNew
    isCatalogNew = false
    for (const uri of unwatchable) if (isCheckingOwners || !uris.has(uri)) unwatchable.delete(uri)
    const rest = yieldWhenBusy()
    for (const [uri, { owner }] of [...watches]) {
      if (!uris.has(uri)) unwatch(uri)
      if (!isCheckingOwners || !watches.has(uri)) continue
      const pause = rest()
      if (pause) await pause
      if (ownerOf(uri) !== owner) unwatch(uri)
    }
    for (const uri of uris) {
      if (watches.has(uri) || unwatchable.has(uri)) continue
      const pause = rest()
      if (pause) await pause
      if (isClosed) return
      watch(uri)
    }
  }, failed)
  const catalogChanged = (): void => {
    isCatalogNew = true
    follow()
  }
  const updated = new Set<string>()
  const announce = repeated(async () => {
    const rest = yieldWhenBusy()
    for (const uri of updated) {
      const pause = rest()
      if (pause) await pause
      updated.delete(uri)
      server.resources.updated(uri)
    }
  }, failed)
  const news = all.map(({ upstream }) =>
    upstream.onChange((change) => {
      if (change.kind !== 'resource') return
      // Only the owner of a resource can report its updates. The callers are told the URI that they watch.
      for (const [uri, { owner }] of watches) if (owner === upstream && wire.isWithin(change.uri, uri)) updated.add(uri)
      announce()
    }),
  )
  const stops = [server.watched.onChange(follow), ...news]
  const close = (): void => {
    isClosed = true
    for (const stop of stops) stop()
    for (const uri of [...watches.keys()]) unwatch(uri)
  }
  return { catalogChanged, close }
}

/** Runs the work once at a time. Requests while it runs make it run once more. */
function repeated(work: () => Promise<void>, onFault: (thrown: unknown) => void): () => void {
  let isRunning = false
  let isDue = false
  return async () => {
    isDue = true
    if (isRunning) return
    isRunning = true
    while (isDue) {
      isDue = false
      await work().catch(onFault)
    }
    isRunning = false
  }
}
