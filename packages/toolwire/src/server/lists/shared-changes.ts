// What changes at one replica, for clients that listen to another.
import type { ListName } from './change-notifier.js'

export type SharedChange = { readonly list: ListName } | { readonly uri: string } | { readonly taskId: string }

/** Carries changes to all replicas. Each has a name of its own, and hears what others tell. */
export type SharedChanges = {
  /** Never throws: a client that misses a change lists again in time. */
  publish(from: string, change: SharedChange): void
  /** Calls back with changes that others tell from now on, until the returned function is called. */
  listen(to: string, listener: (change: SharedChange) => void): () => void
}
