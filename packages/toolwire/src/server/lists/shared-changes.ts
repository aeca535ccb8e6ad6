// Changes at one replica, for clients that are connected to another.
import type { ListName } from './change-notifier.js'

export type SharedChange = { readonly list: ListName } | { readonly uri: string } | { readonly taskId: string }

/** Publishes changes to all replicas. Each has a name of its own, and receives the changes of the others. */
export type SharedChanges = {
  /** Never throws: a client that misses a change will list again later. */
  publish(from: string, change: SharedChange): void
  /** Calls back with later changes of the other replicas, until the returned function is called. */
  listen(to: string, listener: (change: SharedChange) => void): () => void
}
