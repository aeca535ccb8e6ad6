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
export const findReplica = async (list: ReplicaList, id: string): Promise<ReplicaAddress | undefined> =>
  knownReplica(list, id) ?? findLiveReplica(list, id)

/** Finds a replica in a new list. */
export async function findLiveReplica(list: ReplicaList, id: string): Promise<ReplicaAddress | undefined> {
  // Without a new list, the known replicas remain.
  await list.refresh?.().catch(() => undefined)
  return knownReplica(list, id)
}

const knownReplica = (list: ReplicaList, id: string): ReplicaAddress | undefined =>
  list.all().find((replica) => replica.id === id && id !== list.self)

/** The path reserved for other replicas. */
export const replicaPath = '/internal/replica'
/** The header that authenticates a request between replicas, and its response. */
export const replicaHeader = 'toolwire-replica'
/** The header that stands for the caller of a forwarded request, so that the caller's room is limited at each replica. */
export const senderHeader = 'toolwire-sender'
