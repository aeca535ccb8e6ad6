import type { JsonObject } from 'toolwire'

/** What is wrong with what a result says of how long it holds, and for whom. */
export const cacheHintFaults = ({ ttlMs, cacheScope }: JsonObject): string[] => [
  ...(Number.isInteger(ttlMs) && Number(ttlMs) >= 0 ? [] : [`ttlMs is ${JSON.stringify(ttlMs)}`]),
  ...(cacheScope === 'public' || cacheScope === 'private' ? [] : [`cacheScope is ${JSON.stringify(cacheScope)}`]),
]
