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

/** The path reserved for other replicas. */
export const replicaPath = '/internal/replica'
/** The header that authenticates a request between replicas, and its response. */
export const replicaHeader = 'toolwire-replica'
