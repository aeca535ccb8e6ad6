import type { Limit } from '../../tools/tool.js'
import { drainAllowance, takeFromAllowance, usedOfAllowance } from './gcra.js'

/** Stores allowances, in this process or shared by replicas. */
export interface LimitStore {
  /**
   * Takes one call from the allowance under the key and returns 0, or returns the milliseconds until one is available. `now` is the clock
   * of this process; a shared store uses its own.
   */
  take(key: string, limit: Limit, now: number): number | Promise<number>
}

/** Allowances of this process, which are available synchronously. */
type LocalLimits = { take(key: string, limit: Limit, now: number): number }
/** Allowances that can be handed over to another store. */
type PassingLimits = LocalLimits & {
  /** Uses what is left of the allowance. */
  drain(key: string, limit: Limit, now: number): void
  /** Returns the number of used calls that are not available again yet, and no longer counts them. */
  handOver(key: string, limit: Limit, now: number): number
}

type Kept = Map<string, { wholeAt: number }>
const mostOfAnAge = 50_000

/**
 * Keeps allowances in memory. At least the 50,000 most recently used are kept. Others may be dropped, which bounds both memory and the time
 * to clean up.
 *
 * @example
 * ```ts
 * const policy = rateLimit({ store: memoryLimits() })
 * ```
 */
export function memoryLimits(): LocalLimits {
  const { take } = passingLimits()
  return { take }
}

export function passingLimits(): PassingLimits {
  let young: Kept = new Map()
  let old: Kept = new Map()

  function keep(key: string): { wholeAt: number } {
    const kept = old.get(key) ?? { wholeAt: Number.NEGATIVE_INFINITY }
    if (young.size >= mostOfAnAge) {
      old = young
      young = new Map()
    }
    young.set(key, kept)
    return kept
  }

  return {
    take: (key, limit, now) => takeFromAllowance(young.get(key) ?? keep(key), limit, now),
    drain: (key, limit, now) => drainAllowance(young.get(key) ?? keep(key), limit, now),
    handOver(key, limit, now) {
      const kept = young.get(key) ?? old.get(key)
      if (!kept || kept.wholeAt <= now) return 0
      const taken = usedOfAllowance(kept, limit, now)
      kept.wholeAt = Number.NEGATIVE_INFINITY
      return taken
    },
  }
}
