import { Registry } from './registry.js'
import { type ReadyResource, type ReadyTemplate, type Resource, readyResource, type Template } from './resource.js'

/** The resources of a server: fixed ones and templates, under one set of names. */
export class ResourceRegistry extends Registry<Resource | Template, ReadyResource | ReadyTemplate> {
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
