import type { Upstream } from '../upstreams/upstream.js'

const usualMs = 300_000
const taskMs = 3_600_000
/** The upstream's client times out first, because its error says more; this timer is the fallback. */
const graceMs = 5_000

/** How long a request to the upstream may take as seen from here. */
export const requestTimeoutMs = ({ config }: Upstream, { asTask = false } = {}): number =>
  (asTask ? taskMs : (config.timeout?.totalMs ?? usualMs)) + graceMs
