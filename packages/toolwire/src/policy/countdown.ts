export type TimeLimits = { readonly idleMs: number; readonly totalMs: number }

/** Says which of the limits was reached. */
type TimeUp = (limit: keyof TimeLimits) => void

/** Counts how long a call has been silent and how long it has run. It stands still while a person is being asked. */
export class Countdown {
  readonly #limits: TimeLimits
  readonly #timeUp: TimeUp
  #timer: ReturnType<typeof setTimeout> | undefined
  #ranBefore = 0
  #since = performance.now()
  #questions = 0

  constructor(limits: TimeLimits, timeUp: TimeUp) {
    this.#limits = limits
    this.#timeUp = timeUp
    this.#wind()
  }

  heard(what: 'progress' | 'asking' | 'answered'): void {
    if (what === 'asking' && this.#questions++ === 0) this.#pause()
    if (what === 'answered' && --this.#questions === 0) this.#since = performance.now()
    if (this.#questions === 0) this.#wind()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #pause(): void {
    this.stop()
    this.#ranBefore += performance.now() - this.#since
  }

  #wind(): void {
    const { idleMs, totalMs } = this.#limits
    const left = Math.max(0, totalMs - this.#ranBefore - (performance.now() - this.#since))
    this.stop()
    this.#timer = setTimeout(this.#timeUp, Math.min(idleMs, left), left <= idleMs ? 'totalMs' : 'idleMs')
  }
}
