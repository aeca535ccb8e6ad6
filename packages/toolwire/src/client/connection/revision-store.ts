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
  set(key: string, negotiatedRevision: NegotiatedRevision): void
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
      const negotiatedRevision = kept.get(key)
      return negotiatedRevision && now() - negotiatedRevision.at < longestMs ? negotiatedRevision : undefined
    },
    set: (key, negotiatedRevision) => void kept.set(key, negotiatedRevision),
    delete: (key) => void kept.delete(key),
  }
}

/** Shared by all connections of this process. */
export const processRevisions: RevisionStore = memoryRevisions()
