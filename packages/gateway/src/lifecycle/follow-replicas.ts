import { latestMaximum } from '../bounds/latest-maximum.js'
import type { ReplicaAddress, ReplicaList } from '../http/replicas/replica-list.js'
import type { Fleet } from '../store/store.js'

const everyMs = 1_000
/** Half a minute without an outage. */
const countedLookups = 30
/** As long as the store waits for heartbeats, which an outage has stopped. */
const heartbeatMs = 10_000

export type FollowedReplicas = ReplicaList & {
  /** The largest recent number, which includes replicas without an address; 0 before the first lookup. */
  count(): number
  close(): void
}

/**
 * Looks up the gateways that share the store every second. While the store cannot be reached, and until the others have sent heartbeats
 * again, the replicas of the last result stay.
 */
export function followReplicas({ id, replicas, announce }: Fleet): FollowedReplicas {
  let known: readonly ReplicaAddress[] = []
  const countOf = latestMaximum(countedLookups)
  let found = 0
  let count = 0
  let isAway = false
  let keptUntil = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  async function look(): Promise<void> {
    const all = await replicas().catch((thrown: unknown) => {
      isAway = true
      throw thrown
    })
    if (isAway) keptUntil = performance.now() + heartbeatMs
    isAway = false
    found = all.length
    count = Math.max(count, found)
    const listed = all.flatMap((one) => (one.address === undefined ? [] : [{ id: one.id, address: one.address }]))
    const before = performance.now() < keptUntil ? known : []
    known = [...before.filter(({ id }) => !listed.some((one) => one.id === id)), ...listed]
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
  async function lookAndCount(): Promise<void> {
    await refresh()
    count = countOf(found)
  }
  // The store reports its own trouble.
  const timer = setInterval(() => void lookAndCount().catch(() => undefined), everyMs).unref()
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
