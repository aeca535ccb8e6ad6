import type { Limit } from '../../tools/tool.js'
import { takeFromAllowance, takenFromAllowance } from './gcra.js'

/** Where allowances are kept: in this process, or where replicas share them. */
export interface LimitStore {
  /**
   * Takes one call from the allowance under the key and gives 0, or says in how many milliseconds it can be had. `now` is this
   * process's clock; a shared store goes by its own.
   */
  take(key: string, limit: Limit, now: number): number | Promise<number>
}

/** Allowances of this process; it answers at once. */
type LocalLimits = { take(key: string, limit: Limit, now: number): number }
/** Limits that another store will keep from now on. */
type PassingLimits = LocalLimits & {
  /** How many calls have not grown back. They are no longer counted here. */
  handOver(key: string, limit: Limit, now: number): number
}

type Kept = Map<string, { wholeAt: number }>
const mostOfAnAge = 50_000

/**
 * Keeps allowances in memory. The least recently used of more than 50,000 is dropped, which bounds both memory and the time
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
    handOver(key, limit, now) {
      const kept = young.get(key) ?? old.get(key)
      if (!kept || kept.wholeAt <= now) return 0
      const taken = takenFromAllowance(kept, limit, now)
      kept.wholeAt = Number.NEGATIVE_INFINITY
      return taken
    },
  }
}
