import { Bag } from './bag.js'
import { longestTimer } from './longest-timer.js'

/** A timer of a `TimerQueue`, which calls `ring` when `due` is reached. */
export type QueuedTimer = { due: number; place: number; ring(now: number): void }

/** A timer that fires this late was not waiting for its time alone. */
const standstillMs = 20

/** Timers of Node have `unref`, so that they do not keep the process alive. */
type Timer = ReturnType<typeof setTimeout> & { unref?: () => void }

/** One timer for all calls: nearly all end long before their timeout, and a timer each would cost more than the rest of a call. */
export class TimerQueue {
  readonly #waiting = new Bag<QueuedTimer>()
  #timer: Timer | undefined
  #ringsAt = Number.POSITIVE_INFINITY

  add(waiting: QueuedTimer, now: number): void {
    this.#waiting.add(waiting)
    this.moved(waiting, now)
  }

  /** Must be called after `due` has changed. Only an earlier time sets the timer again; a later one is noticed when it fires. */
  moved({ due }: QueuedTimer, now: number): void {
    if (due < this.#ringsAt) this.#wind(due, now)
  }

  delete(waiting: QueuedTimer): void {
    this.#waiting.delete(waiting)
  }

  #wind(at: number, now: number): void {
    clearTimeout(this.#timer)
    this.#ringsAt = at
    this.#timer = setTimeout(() => this.#ringAfterInput(), Math.min(longestTimer, Math.max(0, Math.ceil(at - now))))
    this.#timer.unref?.()
  }

  /** After the process has stood still, timers fire before messages that have arrived meanwhile are read, so these go first. */
  #ringAfterInput(): void {
    if (performance.now() - this.#ringsAt < standstillMs) this.#ring()
    else {
      this.#timer = setTimeout(() => this.#ring(), 0)
      this.#timer.unref?.()
    }
  }

  #ring(): void {
    const now = performance.now()
    this.#ringsAt = Number.POSITIVE_INFINITY
    for (const waiting of this.#waiting.all()) if (waiting.due <= now) waiting.ring(now)
    const next = Math.min(...this.#waiting.all().map(({ due }) => due))
    if (next < Number.POSITIVE_INFINITY) this.#wind(next, now)
  }
}
