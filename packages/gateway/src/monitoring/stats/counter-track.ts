// Counts of calls for each step of time, as far back as there are steps. Nothing is made when a call is counted.
import { Latencies } from './latencies.js'

/** What there is to count about one call. */
export type CallCount = { readonly outcome: string; readonly reason?: string | undefined; readonly ms: number }

/** One step after the other, the oldest first. */
export type TrackCounts = {
  readonly calls: number[]
  readonly errors: number[]
  readonly refused: number[]
  readonly limited: number[]
  readonly p50: (number | null)[]
  readonly p95: (number | null)[]
}

const errors: ReadonlySet<string> = new Set(['error', 'failed'])

/** Whether a call was refused because it was one too many. */
export const isLimitReason = (reason: string | undefined): boolean => reason === 'rate-limited' || reason === 'busy'

export class CounterTrack {
  readonly stepMs: number
  readonly steps: number
  readonly #calls: Uint32Array
  readonly #errors: Uint32Array
  readonly #refused: Uint32Array
  readonly #limited: Uint32Array
  readonly #p50: Float32Array
  readonly #p95: Float32Array
  readonly #latencies = new Latencies()
  /** Number of the step that is being counted, since the clock began. */
  #step = -1

  constructor(stepMs: number, steps: number) {
    this.stepMs = stepMs
    this.steps = steps
    this.#calls = new Uint32Array(steps)
    this.#errors = new Uint32Array(steps)
    this.#refused = new Uint32Array(steps)
    this.#limited = new Uint32Array(steps)
    this.#p50 = new Float32Array(steps).fill(Number.NaN)
    this.#p95 = new Float32Array(steps).fill(Number.NaN)
  }

  add({ outcome, reason, ms }: CallCount, now: number): void {
    this.#goTo(now)
    const at = this.#step % this.steps
    this.#calls[at] = (this.#calls[at] ?? 0) + 1
    if (errors.has(outcome)) this.#errors[at] = (this.#errors[at] ?? 0) + 1
    if (outcome === 'refused') {
      this.#refused[at] = (this.#refused[at] ?? 0) + 1
      if (isLimitReason(reason)) this.#limited[at] = (this.#limited[at] ?? 0) + 1
    } else {
      // How soon a call is refused says nothing about how long calls take.
      this.#latencies.add(ms)
    }
  }

  /** The latest so many steps, the one that is being counted included. */
  last(count: number, now: number): TrackCounts {
    this.#goTo(now)
    this.#settle()
    const first = this.#step - count + 1
    const read = <T>(of: (at: number) => T): T[] =>
      Array.from({ length: count }, (_, index) => of((first + index + this.steps) % this.steps))
    const time = (times: Float32Array) => (at: number) => rounded(times[at])
    return {
      calls: read((at) => this.#calls[at] ?? 0),
      errors: read((at) => this.#errors[at] ?? 0),
      refused: read((at) => this.#refused[at] ?? 0),
      limited: read((at) => this.#limited[at] ?? 0),
      p50: read(time(this.#p50)),
      p95: read(time(this.#p95)),
    }
  }

  /** Adds what another one of this length has counted before. */
  absorb(past: CounterTrack, now: number): void {
    if (past.#step < 0) return
    this.#goTo(now)
    past.#settle()
    const oldest = Math.max(this.#step, past.#step) - this.steps + 1
    for (let step = Math.max(0, oldest); step <= Math.min(this.#step, past.#step); step++) this.#absorbAt(step % this.steps, past)
    if (past.#step === this.#step) this.#latencies.absorb(past.#latencies)
  }

  #absorbAt(at: number, past: CounterTrack): void {
    for (const [mine, theirs] of [
      [this.#calls, past.#calls],
      [this.#errors, past.#errors],
      [this.#refused, past.#refused],
      [this.#limited, past.#limited],
    ] as const)
      mine[at] = (mine[at] ?? 0) + (theirs[at] ?? 0)
    for (const [mine, theirs] of [
      [this.#p50, past.#p50],
      [this.#p95, past.#p95],
    ] as const)
      if (Number.isNaN(mine[at])) mine[at] = theirs[at] ?? Number.NaN
  }

  #goTo(now: number): void {
    const step = Math.floor(now / this.stepMs)
    if (step <= this.#step) return
    if (this.#step >= 0) this.#settle()
    this.#latencies.clear()
    const passed = this.#step < 0 ? this.steps : Math.min(step - this.#step, this.steps)
    for (let number = step - passed + 1; number <= step; number++) this.#empty(number % this.steps)
    this.#step = step
  }

  #settle(): void {
    const at = this.#step % this.steps
    this.#p50[at] = this.#latencies.quantile(0.5)
    this.#p95[at] = this.#latencies.quantile(0.95)
  }

  #empty(at: number): void {
    for (const counts of [this.#calls, this.#errors, this.#refused, this.#limited]) counts[at] = 0
    this.#p50[at] = Number.NaN
    this.#p95[at] = Number.NaN
  }
}

const rounded = (ms = Number.NaN): number | null => (Number.isNaN(ms) ? null : Math.round(ms * 10) / 10)
