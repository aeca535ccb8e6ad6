import { Bag } from './bag.js'

/** Something that wants to be told when a moment has come. */
export type QueuedTimer = { due: number; place: number; ring(now: number): void }

/** A timer that a runtime may keep from holding up the end of the process. */
type Timer = ReturnType<typeof setTimeout> & { unref?: () => void }

/**
 * One timer for everything that waits. Nearly all calls end long before their time is up; a timer for each would cost more than
 * the rest of the call together.
 */
export class TimerQueue {
  readonly #waiting = new Bag<QueuedTimer>()
  #timer: Timer | undefined
  #ringsAt = Number.POSITIVE_INFINITY

  add(waiting: QueuedTimer, now: number): void {
    this.#waiting.add(waiting)
    this.moved(waiting, now)
  }

  /** Its moment has changed; a later one is found out when the timer goes off. */
  moved({ due }: QueuedTimer, now: number): void {
    if (due < this.#ringsAt) this.#wind(due, now)
  }

  delete(waiting: QueuedTimer): void {
    this.#waiting.delete(waiting)
  }

  #wind(at: number, now: number): void {
    clearTimeout(this.#timer)
    this.#ringsAt = at
    this.#timer = setTimeout(() => this.#ring(), Math.max(0, Math.ceil(at - now)))
    this.#timer.unref?.()
  }

  #ring(): void {
    const now = performance.now()
    this.#ringsAt = Number.POSITIVE_INFINITY
    for (const waiting of this.#waiting.all()) if (waiting.due <= now) waiting.ring(now)
    const next = Math.min(...this.#waiting.all().map(({ due }) => due))
    if (next < Number.POSITIVE_INFINITY) this.#wind(next, now)
  }
}
