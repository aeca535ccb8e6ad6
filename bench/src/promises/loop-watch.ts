// Measures how long this process blocks its event loop, and how much memory it keeps.
import { closeSync, openSync, readSync } from 'node:fs'
import { GCProfiler } from 'node:v8'

export type LoopReading = {
  /** Longest CPU time of the main thread between two turns of the event loop. */
  readonly blockMs: number
  /** Largest growth of memory in use since the start. */
  readonly growthBytes: number
}

const everyMs = 5
const measureEveryMs = 100
const worthMeasuring = 4 * 1024 * 1024

export class LoopWatch {
  readonly #collect = globalThis.gc ?? (() => undefined)
  readonly #profiler = new GCProfiler()
  readonly #timer: ReturnType<typeof setInterval>
  readonly #base: number
  readonly #baseExternal: number
  #cpu = mainThreadMs()
  #measuredAt = performance.now()
  #measured: number
  #blockMs = 0
  #most = 0

  constructor() {
    this.#base = this.#measured = this.#alive()
    this.#baseExternal = process.memoryUsage().external
    this.#profiler.start()
    this.#timer = setInterval(() => this.#look(), everyMs)
  }

  end(): LoopReading {
    this.#look()
    clearInterval(this.#timer)
    // Collections within one turn of the loop. They still count buffers that they have freed, so only the heap is read.
    const found = this.#profiler.stop().statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact')
    const kept = found.map(({ afterGC }) => afterGC.heapStatistics.usedHeapSize + this.#baseExternal)
    const most = Math.max(this.#most, this.#alive(), ...kept)
    return { blockMs: this.#blockMs, growthBytes: Math.max(0, most - this.#base) }
  }

  #look(): void {
    this.#blockMs = Math.max(this.#blockMs, mainThreadMs() - this.#cpu)
    const now = performance.now()
    if (Math.abs(inUse() - this.#measured) > worthMeasuring && now - this.#measuredAt > measureEveryMs) {
      this.#measured = this.#alive()
      this.#most = Math.max(this.#most, this.#measured)
      this.#measuredAt = performance.now()
    }
    this.#cpu = mainThreadMs()
  }

  /** Collects twice: after the first collection, buffers that it has freed are still counted. */
  #alive(): number {
    this.#collect()
    this.#collect()
    return inUse()
  }
}

function inUse(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const buffer = Buffer.alloc(128)
const file = openedSchedstat()

/** CPU time of the main thread. Wall time would include other processes on a busy machine. Elsewhere than on Linux, all threads count. */
export function mainThreadMs(): number {
  if (file === undefined) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
  const length = readSync(file, buffer, 0, buffer.length, 0)
  return Number(buffer.toString('latin1', 0, length).split(' ')[0]) / 1_000_000
}

function openedSchedstat(): number | undefined {
  try {
    const opened = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
    process.once('exit', () => closeSync(opened))
    return opened
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return undefined // not Linux
    throw thrown
  }
}
