import type { ReplicaAddress, ReplicaList } from '../http/replicas/replica-list.js'
import type { Fleet } from '../store/store.js'

const everyMs = 1_000

export type FollowedReplicas = ReplicaList & {
  /** Those without an address as well; 0 before the first look. */
  count(): number
  close(): void
}

/** The gateways that share the store, looked up again each second. While the store cannot be asked, those of before are believed. */
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
  /** One look at a time, because anybody can ask for replicas that never were. It begins after it was asked for. */
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
  // The store says for itself what its trouble is.
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
