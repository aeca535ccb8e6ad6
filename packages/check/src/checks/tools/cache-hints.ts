import type { JsonObject } from 'toolwire'
import { jsonOf } from '../../json.js'

/** Faults in a result's cache hints: its lifetime and its scope. */
export const cacheHintFaults = ({ ttlMs, cacheScope }: JsonObject): string[] => [
  ...(Number.isInteger(ttlMs) && Number(ttlMs) >= 0 ? [] : [`ttlMs is ${jsonOf(ttlMs)}`]),
  ...(cacheScope === 'public' || cacheScope === 'private' ? [] : [`cacheScope is ${jsonOf(cacheScope)}`]),
]
