import { CallFailure } from '../errors.js'

const failuresToOpen = 5
const probeEveryMs = 5_000
/** A server that ends sooner than this has not really started. */
const shortLifeMs = 1_000

/** Pauses connection attempts after repeated failures, to spare a server that is down and to avoid restart loops. */
export function circuitBreaker(name: string) {
  let failures = 0
  /** Connections in a row that ended right after they had opened. A connection that opens does not reset this count. */
  let shortLives = 0
  let closedUntil = 0
  let openedAt = 0
  const closeAfter = (count: number) => {
    if (count >= failuresToOpen) closedUntil = performance.now() + probeEveryMs
  }
  return {
    /** Throws while attempts are paused. */
    check(): void {
      const retryAfterMs = closedUntil - performance.now()
      const times = Math.max(failures, shortLives)
      if (times < failuresToOpen || retryAfterMs <= 0) return
      const what = `${name} could not be reached or disconnected at once, ${times} times in a row`
      throw new CallFailure('disconnected', `${what}; next try in ${Math.ceil(retryAfterMs)} ms`, { retryAfterMs })
    },
    opened(): void {
      openedAt = performance.now()
    },
    succeeded(): void {
      failures = 0
    },
    failed: (): void => closeAfter(++failures),
    ended(): void {
      shortLives = performance.now() - openedAt < shortLifeMs ? shortLives + 1 : 0
      closeAfter(shortLives)
    },
  }
}
