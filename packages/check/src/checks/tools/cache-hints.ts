import type { JsonObject } from 'toolwire'

/** Faults in a result's cache hints: its lifetime and its scope. */
export const cacheHintFaults = ({ ttlMs, cacheScope }: JsonObject): string[] => [
  ...(Number.isInteger(ttlMs) && Number(ttlMs) >= 0 ? [] : [`ttlMs is ${JSON.stringify(ttlMs)}`]),
  ...(cacheScope === 'public' || cacheScope === 'private' ? [] : [`cacheScope is ${JSON.stringify(cacheScope)}`]),
]
