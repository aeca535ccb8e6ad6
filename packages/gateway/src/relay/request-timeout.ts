import { longestTimer } from '../bounds/longest-timer.js'
import type { Upstream } from '../upstreams/upstream.js'

const defaultMs = 300_000
const taskMs = 3_600_000
/** The upstream's client times out first, because its error says more; this timer is the fallback. */
const graceMs = 5_000

/** Timeout of a request to the upstream, including the grace period. */
export const requestTimeoutMs = ({ config }: Upstream, { asTask = false } = {}): number =>
  Math.min((asTask ? taskMs : (config.timeout?.totalMs ?? defaultMs)) + graceMs, longestTimer)
