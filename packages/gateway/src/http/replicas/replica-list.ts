// The replicas of a gateway: several processes with one vault key behind one address.

export type ReplicaAddress = {
  /** Letters, digits, `-` and `_`; new with each start. */
  readonly id: string
  /** The address for the other replicas: `http://10.0.0.7:4180`. */
  readonly address: string
}

/** The live replicas, as far as this replica knows. */
export type ReplicaList = {
  readonly self: string
  /** All live replicas, possibly including this one. Called often, so it answers from memory. */
  all(): readonly ReplicaAddress[]
  /** Refreshes the list at once, to find a replica that has just started. */
  refresh?(): Promise<unknown>
  /** Receives this replica's address once it listens. */
  announce?(address: string): void | Promise<void>
}

/** Finds another live replica; one that has just started may be missing from the list. */
export async function findReplica(list: ReplicaList, id: string): Promise<ReplicaAddress | undefined> {
  const known = () => list.all().find((replica) => replica.id === id && id !== list.self)
  const found = known()
  if (found || !list.refresh) return found
  // Without a new list, the known replicas remain.
  await list.refresh().catch(() => undefined)
  return known()
}

/** The path reserved for other replicas. */
export const replicaPath = '/internal/replica'
/** The header that authenticates a request between replicas, and its response. */
export const replicaHeader = 'toolwire-replica'
