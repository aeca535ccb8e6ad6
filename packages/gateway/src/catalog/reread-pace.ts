import { performance } from 'node:perf_hooks'

const mostWaitMs = 30_000
const mostDoublings = 4
/** Reads that take less CPU time than this are never delayed. */
const cheapMs = 20

/** Limits how often a server that announces changes again and again is read: the more CPU time a read takes, the less often. */
export class RereadPace {
  #tookMs = 0
  #endedAt = Number.NEGATIVE_INFINITY
  #churn = 0

  /** Resolves when the next read may start; at once after a quiet time, or if reads are cheap. */
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
    // Only CPU time counts, because waiting for the server costs nothing.
    this.#tookMs = performance.eventLoopUtilization(before).active
  }
}
