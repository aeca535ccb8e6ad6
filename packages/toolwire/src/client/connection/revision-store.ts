import { BoundedMap } from '../../bounds/bounded-map.js'

/**
 * What was found out about a server: which revision to speak with it, and when that was. What it said about itself is no part of it:
 * that may have been meant for one user only.
 */
export type NegotiatedRevision = {
  readonly revision: string
  readonly at: number
  readonly older?: boolean
}

/** Where verdicts are kept, by the key of the way to the server. */
export interface RevisionStore {
  get(key: string): NegotiatedRevision | undefined
  set(key: string, verdict: NegotiatedRevision): void
  delete(key: string): void
}

/** A server may be replaced by a newer one at any time, so a verdict is not kept for longer than a day. */
const longestMs = 86_400_000
const mostKept = 1_000

/**
 * Verdicts kept in memory.
 *
 * @example
 * ```ts
 * const shop = await connect('https://shop.example/mcp', { verdicts: memoryRevisions() })
 * ```
 */
export function memoryRevisions(now: () => number = Date.now): RevisionStore {
  const kept = new BoundedMap<string, NegotiatedRevision>(mostKept)
  return {
    get(key) {
      const verdict = kept.get(key)
      return verdict && now() - verdict.at < longestMs ? verdict : undefined
    },
    set: (key, verdict) => void kept.set(key, verdict),
    delete: (key) => void kept.delete(key),
  }
}

/** Shared by all connections of this process. */
export const processRevisions: RevisionStore = memoryRevisions()
