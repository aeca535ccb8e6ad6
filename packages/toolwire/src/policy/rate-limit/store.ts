import type { Limit } from '../../tools/tool.js'
import { takeFromAllowance } from './gcra.js'

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

  return { take: (key, limit, now) => takeFromAllowance(young.get(key) ?? keep(key), limit, now) }
}
