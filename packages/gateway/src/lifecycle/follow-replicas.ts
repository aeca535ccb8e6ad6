import type { ReplicaAddress, ReplicaList } from '../http/replicas/replica-list.js'
import type { Fleet } from '../store/store.js'

const everyMs = 1_000

export type FollowedReplicas = ReplicaList & {
  /** Includes replicas without an address; 0 before the first lookup. */
  count(): number
  close(): void
}

/** Looks up the gateways that share the store every second. While the store cannot be reached, the last result stays. */
export function followReplicas({ id, replicas, announce }: Fleet): FollowedReplicas {
  let known: readonly ReplicaAddress[] = []
  let count = 0
  let looking: Promise<void> | undefined
  async function look(): Promise<void> {
    const found = await replicas()
    count = found.length
    known = found.flatMap((one) => (one.address === undefined ? [] : [{ id: one.id, address: one.address }]))
  }
  let next: Promise<void> | undefined
  /** Runs one lookup at a time, because anybody can ask for replicas that never existed. The lookup begins after the call. */
  function refresh(): Promise<void> {
    if (looking) {
      next ??= looking.then(refresh, refresh)
      return next
    }
    next = undefined
    looking = look().finally(() => {
      looking = undefined
    })
    return looking
  }
  // The store reports its own trouble.
  const timer = setInterval(() => void refresh().catch(() => undefined), everyMs).unref()
  return {
    self: id,
    all: () => known,
    count: () => count,
    refresh,
    async announce(address) {
      await announce({ address })
      await refresh()
    },
    close: () => clearInterval(timer),
  }
}
