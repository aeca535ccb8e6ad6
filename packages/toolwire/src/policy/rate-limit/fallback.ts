import { withDeadline } from '../../bounds/deadline.js'
import type { Limit } from '../../tools/tool.js'
import { replicaShareOf } from './gcra.js'
import { type LimitStore, memoryLimits } from './store.js'

/** What to do while a shared store cannot be reached. */
export type FallbackOptions = {
  /** How many processes share the store; without it, each of them grants as many parts less. */
  replicas: number
  /** Milliseconds that the store may take to answer. */
  withinMs?: number
  /** Milliseconds until it is tried again. */
  againMs?: number
  /** Told when limits are no longer shared, and when they are again. */
  onChange?: (change: { shared: true } | { shared: false; why: unknown }) => void
}

/**
 * Limits that hold without the store that is shared: each replica then grants its part of them, and looks out for the store.
 * Nobody waits for a store that is known to be away.
 *
 * @example
 * ```ts
 * const store = withLocalFallback(memoryLimits(), { replicas: 3 })
 * ```
 */
export function withLocalFallback(
  store: LimitStore,
  options: FallbackOptions,
  now: () => number = () => performance.now(),
): LimitStore {
  const { replicas, withinMs = 250, againMs = 1_000, onChange } = options
  if (!(Number.isInteger(replicas) && replicas >= 1)) throw new RangeError('`replicas` is a whole number, 1 or more')
  const local = memoryLimits()
  let tryAt = Number.NEGATIVE_INFINITY
  let shared = true

  async function ask(key: string, limit: Limit): Promise<number> {
    const waitMs = await withDeadline(withinMs, store.take(key, limit, now()))
    if (!(waitMs >= 0)) throw new TypeError('The store of limits gave no number of milliseconds')
    if (!shared) onChange?.({ shared: true })
    shared = true
    return waitMs
  }

  function lost(why: unknown): void {
    tryAt = now() + againMs
    if (shared) onChange?.({ shared: false, why })
    shared = false
  }

  const here = (key: string, limit: Limit) => local.take(key, replicaShareOf(limit, replicas), now())

  return {
    take(key, limit) {
      if (shared)
        return ask(key, limit).catch((why) => {
          lost(why)
          return here(key, limit)
        })
      if (now() >= tryAt) {
        tryAt = now() + againMs
        ask(key, limit).catch(lost)
      }
      return here(key, limit)
    },
  }
}
