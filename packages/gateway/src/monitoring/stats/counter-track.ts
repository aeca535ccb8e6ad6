// Call counts for a fixed number of time steps. Counting a call allocates nothing.
import { Latencies } from './latencies.js'

export type CallCount = {
  readonly outcome: string
  /** Refused because a limit was reached. */
  readonly isLimited?: boolean
  readonly ms: number
}

/** A value for each step, the oldest first. */
export type TrackCounts = ReturnType<CounterTrack['last']>

const errors: ReadonlySet<string> = new Set(['error', 'failed'])

const countNames = ['calls', 'errors', 'refused', 'limited'] as const
const timeNames = ['p50', 'p95'] as const

export class CounterTrack {
  readonly stepMs: number
  readonly steps: number
  readonly #counts: Readonly<Record<(typeof countNames)[number], Uint32Array>>
  readonly #times: Readonly<Record<(typeof timeNames)[number], Float32Array>>
  readonly #latencies = new Latencies()
  /** Number of the current step since the epoch of the clock. */
  #step = -1

  constructor(stepMs: number, steps: number) {
    this.stepMs = stepMs
    this.steps = steps
    const counts = () => new Uint32Array(steps)
    const times = () => new Float32Array(steps).fill(Number.NaN)
    this.#counts = { calls: counts(), errors: counts(), refused: counts(), limited: counts() }
    this.#times = { p50: times(), p95: times() }
  }

  add({ outcome, isLimited, ms }: CallCount, now: number): void {
    this.#goTo(now)
    const at = this.#step % this.steps
    const { calls, errors: failed, refused, limited } = this.#counts
    calls[at]!++ // one for each step, here and below
    if (errors.has(outcome)) failed[at]!++
    if (outcome === 'refused') {
      refused[at]!++
      if (isLimited) limited[at]!++
    } else {
      // Refusals are quick and say nothing about the duration of calls.
      this.#latencies.add(ms)
    }
  }

  /** The counts of the latest steps, including the current one. */
  last(count: number, now: number) {
    this.#goTo(now)
    this.#settle()
    const first = this.#step - count + 1
    const read = (all: Uint32Array | Float32Array): number[] =>
      Array.from({ length: count }, (_, index) => all[(first + index + this.steps) % this.steps] ?? 0)
    const { calls, errors, refused, limited } = this.#counts
    const { p50, p95 } = this.#times
    return {
      ...{ calls: read(calls), errors: read(errors), refused: read(refused), limited: read(limited) },
      ...{ p50: read(p50).map(rounded), p95: read(p95).map(rounded) },
    }
  }

  /** Adds the counts of an earlier track with the same length. */
  absorb(past: CounterTrack, now: number): void {
    if (past.#step < 0) return
    this.#goTo(now)
    past.#settle()
    const oldest = Math.max(this.#step, past.#step) - this.steps + 1
    for (let step = Math.max(0, oldest); step <= Math.min(this.#step, past.#step); step++) this.#absorbAt(step % this.steps, past)
    if (past.#step === this.#step) this.#latencies.absorb(past.#latencies)
  }

  #absorbAt(at: number, past: CounterTrack): void {
    for (const name of countNames) this.#counts[name][at]! += past.#counts[name][at]!
    for (const name of timeNames) if (Number.isNaN(this.#times[name][at])) this.#times[name][at] = past.#times[name][at]!
  }

  #goTo(now: number): void {
    const step = Math.floor(now / this.stepMs)
    if (step === this.#step) return
    if (this.#step >= 0) this.#settle()
    this.#latencies.clear()
    // After the clock was set back, only the steps that it will reach again are emptied.
    const [from, to] = step < this.#step ? [step, this.#step] : [this.#step, step]
    const passed = this.#step < 0 ? this.steps : Math.min(to - from, this.steps)
    for (let number = to - passed + 1; number <= to; number++) this.#empty(number % this.steps)
    this.#step = step
  }

  #settle(): void {
    const at = this.#step % this.steps
    this.#times.p50[at] = this.#latencies.quantile(0.5)
    this.#times.p95[at] = this.#latencies.quantile(0.95)
  }

  #empty(at: number): void {
    for (const name of countNames) this.#counts[name][at] = 0
    for (const name of timeNames) this.#times[name][at] = Number.NaN
  }
}

const rounded = (ms: number): number | null => (Number.isNaN(ms) ? null : Math.round(ms * 10) / 10)
