import { withDeadline } from '../../bounds/deadline.js'
import { Refusal } from '../../tools/refusal.js'
import type { Limit } from '../../tools/tool.js'
import { replicaShareOf } from './gcra.js'
import { type LimitStore, passingLimits } from './store.js'

/** What to do while a shared store cannot be reached. */
export type FallbackOptions = {
  /** How many processes share the store, or what says so; without it, each of them grants as many parts less, and of 0 nothing. */
  replicas: number | (() => number)
  /** Milliseconds that the store may take to answer. */
  withinMs?: number
  /** Milliseconds until it is tried again. */
  againMs?: number
  /** Told when limits are no longer shared, and when they are again. */
  onChange?: (change: { shared: true } | { shared: false; why: unknown }) => void
}

/**
 * Limits that hold without the store that is shared: each replica then grants its part of them, and looks out for the store. Once that
 * is back, it counts what was granted meanwhile and has not grown back. Nobody waits for a store that is known to be away.
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
  const shareOf = (limit: Limit) => replicaShareOf(limit, typeof replicas === 'number' ? replicas : replicas())
  if (typeof replicas === 'number' && !(Number.isInteger(replicas) && replicas >= 0))
    throw new RangeError('`replicas` is a whole number, or 0')
  const local = passingLimits()
  let tryAt = Number.NEGATIVE_INFINITY
  let shared = true

  async function ask(key: string, limit: Limit): Promise<number> {
    if (shared && replicas !== 0) handOver(key, limit)
    const waitMs = await withDeadline(withinMs, store.take(key, limit, now()))
    if (!(waitMs >= 0)) throw new TypeError('The store of limits gave no number of milliseconds')
    if (shared) return waitMs
    shared = true
    if (replicas !== 0) handOver(key, limit)
    onChange?.({ shared: true })
    return waitMs
  }

  function handOver(key: string, limit: Limit): void {
    const take = async () => store.take(key, limit, now())
    for (let calls = local.handOver(key, shareOf(limit), now()); calls > 0; calls--) take().catch(() => undefined)
  }

  function lost(why: unknown): void {
    tryAt = now() + againMs
    if (shared) onChange?.({ shared: false, why })
    shared = false
  }

  const here = (key: string, limit: Limit) => local.take(key, shareOf(limit), now())

  const refuse = (cause: unknown): never => {
    lost(cause)
    const why = 'The limit of this call cannot be looked up, so the call was not made; try again later.'
    throw new Refusal('busy', why, { cause, retryAfterMs: againMs })
  }

  return {
    take(key, limit) {
      if (replicas === 0) return ask(key, limit).catch(refuse)
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
