import type { Upstream } from '../upstreams/upstream.js'

const usualMs = 300_000
const taskMs = 3_600_000
/** The upstream's client keeps the time, and says more about it when it is up; whoever guards it here comes after. */
const graceMs = 5_000

/** How long a request to the upstream may take as seen from here. */
export const requestTimeoutMs = ({ config }: Upstream, { asTask = false } = {}): number =>
  (asTask ? taskMs : (config.timeout?.totalMs ?? usualMs)) + graceMs
