import { performance } from 'node:perf_hooks'

const mostWaitMs = 30_000
const mostDoublings = 4
/** What takes no time to read may be read at once, however often. */
const cheapMs = 20

/** How often a server is read that says again and again that something has changed: the more it costs, the less often. */
export class RereadPace {
  #tookMs = 0
  #endedAt = Number.NEGATIVE_INFINITY
  #churn = 0

  /** Resolves when it may be read again; at once where it has been quiet, or where it is soon done. */
  async turn(): Promise<void> {
    const waitMs = this.#endedAt + Math.min(mostWaitMs, this.#tookMs * 2 ** this.#churn) - performance.now()
    if (this.#tookMs < cheapMs || waitMs <= 0) {
      this.#churn = 0
      return
    }
    this.#churn = Math.min(mostDoublings, this.#churn + 1)
    await new Promise<void>((resolve) => void setTimeout(resolve, waitMs).unref())
  }

  async timed(work: () => Promise<void>): Promise<void> {
    const before = performance.eventLoopUtilization()
    await work()
    this.#endedAt = performance.now()
    // Not the time that the server took: waiting for it costs nobody anything.
    this.#tookMs = performance.eventLoopUtilization(before).active
  }
}
