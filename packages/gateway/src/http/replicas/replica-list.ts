// The replicas of a gateway: several processes with one vault key behind one address.

export type ReplicaAddress = {
  /** Letters, digits, `-` and `_`, and another one with each start. */
  readonly id: string
  /** Where the others reach it: `http://10.0.0.7:4180`. */
  readonly address: string
}

/** Those that are alive, as far as this one knows. */
export type ReplicaList = {
  /** The id of this one. */
  readonly self: string
  /** All that are alive now; this one may be among them. It is asked often, so it answers from memory. */
  all(): readonly ReplicaAddress[]
  /** Looks again at once, for one that has come just now. */
  refresh?(): Promise<unknown>
  /** Hears where the others reach this one, when it listens. */
  announce?(address: string): void | Promise<void>
}

/** The path that only other replicas may use. */
export const replicaPath = '/internal/replica'
/** What a request between replicas, and its answer, show. */
export const replicaHeader = 'toolwire-replica'
