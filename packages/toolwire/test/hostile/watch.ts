// Measures how long the event loop is blocked, and how much memory is held.
import { collect } from '../garbage.js'

const tickMs = 5
const sampleMs = 40
const mebibyte = 1024 * 1024

export type Watched = { readonly blockMs: number; readonly grownMiB: number }

/**
 * Watches this process. A gap between two ticks counts as a block only by the CPU time that the process used in it, because another process
 * may have had the processor. Memory counts after garbage collection.
 */
export class Watch {
  readonly #before: number
  readonly #ticker: ReturnType<typeof setInterval>
  readonly #sampler: ReturnType<typeof setInterval>
  #lastTick = performance.now()
  #lastWork = process.cpuUsage()
  #blockMs = 0
  #grown = 0

  constructor() {
    collect()
    this.#before = held()
    this.#skip()
    this.#ticker = setInterval(() => this.#tick(), tickMs)
    this.#sampler = setInterval(() => this.#sample(), sampleMs)
  }

  stop(): Watched {
    clearInterval(this.#ticker)
    clearInterval(this.#sampler)
    this.#tick()
    this.#sample()
    return { blockMs: Math.round(this.#blockMs), grownMiB: Math.round(this.#grown / mebibyte) }
  }

  #tick(): void {
    const now = performance.now()
    const { user, system } = process.cpuUsage(this.#lastWork)
    this.#blockMs = Math.max(this.#blockMs, Math.min(now - this.#lastTick, (user + system) / 1_000) - tickMs)
    this.#skip()
  }

  /** Garbage is collected only when the heap has grown much, because the collection takes time itself. */
  #sample(): void {
    if (held() - this.#before - this.#grown < 16 * mebibyte) return
    this.#tick()
    collect()
    this.#grown = Math.max(this.#grown, held() - this.#before)
    this.#skip()
  }

  #skip(): void {
    this.#lastTick = performance.now()
    this.#lastWork = process.cpuUsage()
  }
}

function held(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
