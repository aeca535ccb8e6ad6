import { withDeadline } from '../../bounds/deadline.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { atLeast, either, someFunction, wholeNumber } from '../../tools/checks/option-values.js'
import type { Limit } from '../../tools/tool.js'
import { replicaShareOf } from './gcra.js'
import { limitUnchecked } from './index.js'
import { type LimitStore, passingLimits } from './store.js'

export type FallbackOptions = {
  /** Number of processes that share the store. While it is away, each grants its share of a limit; with 0, calls are refused. */
  replicas: number | (() => number)
  /** Milliseconds that the store may take to answer. */
  withinMs?: number
  /** Milliseconds until the store is tried again. */
  againMs?: number
  /** Called when limits are no longer shared, and when they are shared again. */
  onChange?: (change: { shared: true } | { shared: false; why: unknown }) => void
}

/** The kinds of values, for stores that have options of their own besides. */
export const fallbackValues = {
  replicas: either(wholeNumber(0), someFunction),
  'withinMs againMs': atLeast(0),
  onChange: someFunction,
} as const
const fallbackOptions = optionsOf<FallbackOptions>()(fallbackValues)

/**
 * Holds limits while a shared store is unavailable: each replica grants its share of them, and keeps trying the store. Once the store is
 * back, it counts the calls granted meanwhile, unless they are available again. No call waits for a store that is known to be unavailable.
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
  checkOptions('withLocalFallback()', options, fallbackOptions)
  const { replicas, withinMs = 250, againMs = 1_000, onChange } = options
  /** All calls that this process let through. Counting them bounds what it grants when the store has just become unavailable. */
  const granted = passingLimits()
  /** Those of them that the store has not counted. */
  const uncounted = passingLimits()
  let tryAt = Number.NEGATIVE_INFINITY
  let shared = true

  /** The share that this process may grant by itself, if any. */
  function partOf(limit: Limit): Limit | undefined {
    const count = typeof replicas === 'number' ? replicas : replicas()
    return count >= 1 ? replicaShareOf(limit, count) : undefined
  }

  async function ask(key: string, limit: Limit, part: Limit | undefined): Promise<number> {
    if (shared) handOver(key, limit, part)
    const waitMs = await withDeadline(withinMs, store.take(key, limit, now()))
    if (!(waitMs >= 0)) throw new TypeError('The limit store returned no valid number of milliseconds')
    if (shared) return waitMs
    shared = true
    handOver(key, limit, part)
    onChange?.({ shared: true })
    return waitMs
  }

  function handOver(key: string, limit: Limit, part: Limit | undefined): void {
    const take = async () => store.take(key, limit, now())
    for (let calls = part ? uncounted.handOver(key, part, now()) : 0; calls > 0; calls--) take().catch(() => undefined)
  }

  function takeHere(key: string, part: Limit): number {
    const waitMs = granted.take(key, part, now())
    if (waitMs === 0) uncounted.take(key, part, now())
    return waitMs
  }

  /** A refusal shows that the allowance of all replicas is used up, so this process has nothing left to grant either. */
  function countShared(waitMs: number, key: string, part: Limit): void {
    if (waitMs === 0) granted.take(key, part, now())
    else granted.drain(key, part, now())
  }

  function lost(why: unknown): void {
    tryAt = now() + againMs
    if (shared) onChange?.({ shared: false, why })
    shared = false
  }

  function refuse(cause: unknown): never {
    lost(cause)
    throw limitUnchecked(cause, againMs)
  }

  return {
    take(key, limit) {
      const part = partOf(limit)
      if (!part) return ask(key, limit, part).catch(refuse)
      if (shared)
        return ask(key, limit, part).then(
          (waitMs) => {
            countShared(waitMs, key, part)
            return waitMs
          },
          (why) => {
            lost(why)
            return takeHere(key, part)
          },
        )
      if (now() >= tryAt) {
        tryAt = now() + againMs
        ask(key, limit, part).catch(lost)
      }
      return takeHere(key, part)
    },
  }
}
