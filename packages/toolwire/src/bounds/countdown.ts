import type { QueuedTimer, TimerQueue } from './timer-queue.js'

export type TimeLimits = { readonly idleMs: number; readonly totalMs: number }

/** Limits of a call that may have been silent for a while already. */
export type LimitsLeft = TimeLimits & { readonly spentMs?: number | undefined }

type TimeUp = (limit: keyof TimeLimits) => void

/** Measures how long a call has been silent and how long it has run. It pauses while a person is being asked. */
export class Countdown implements QueuedTimer {
  place = 0
  stopped = false
  due: number
  readonly #limits: TimeLimits
  readonly #timerQueue: TimerQueue
  readonly #timeUp: TimeUp
  #ranBefore: number
  #since: number
  #questions = 0

  constructor(limits: LimitsLeft, timerQueue: TimerQueue, timeUp: TimeUp) {
    const now = performance.now()
    const { spentMs = 0 } = limits
    this.#limits = limits
    this.#ranBefore = spentMs
    this.#timerQueue = timerQueue
    this.#timeUp = timeUp
    this.#since = now
    this.due = now + Math.min(limits.idleMs, limits.totalMs) - spentMs
    timerQueue.add(this, now)
  }

  heard(what: 'progress' | 'asking' | 'answered'): void {
    const now = performance.now()
    if (what === 'asking' && this.#questions++ === 0) this.#ranBefore += now - this.#since
    if (what === 'answered' && --this.#questions === 0) this.#since = now
    this.due = this.#questions > 0 ? Number.POSITIVE_INFINITY : now + Math.min(this.#limits.idleMs, this.#left(now))
    this.#timerQueue.moved(this, now)
  }

  ring(now: number): void {
    this.stop()
    this.#timeUp(this.#left(now) <= 0 ? 'totalMs' : 'idleMs')
  }

  /** Has no effect on a countdown that has rung, whose callback may call `stop` again. */
  stop(): void {
    if (this.stopped) return
    this.stopped = true
    this.#timerQueue.delete(this)
  }

  #left(now: number): number {
    return this.#limits.totalMs - this.#ranBefore - (now - this.#since)
  }
}
