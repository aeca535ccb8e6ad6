import { BoundedMap } from '../../bounds/bounded-map.js'

/** A negotiated revision. The server's description of itself is left out, because it may be meant for one user only. */
export type NegotiatedRevision = {
  readonly revision: string
  readonly at: number
  readonly older?: boolean
}

/** Stores negotiated revisions by the key of the endpoint. */
export interface RevisionStore {
  get(key: string): NegotiatedRevision | undefined
  set(key: string, negotiatedRevision: NegotiatedRevision): void
  delete(key: string): void
}

/** A server may be upgraded at any time, so a negotiated revision expires after a day. */
const longestMs = 86_400_000
const mostKept = 1_000

/**
 * Keeps negotiated revisions in memory.
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

export const processRevisions: RevisionStore = memoryRevisions()
