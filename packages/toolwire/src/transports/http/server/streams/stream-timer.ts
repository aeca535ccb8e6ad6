/** Something to be looked after from time to time. */
export interface TimedStream {
  tick(now: number): void
}

/** One timer for all streams; it runs only while there are any, and keeps no process alive. */
export class StreamTimer {
  readonly #everyMs: number
  readonly #watched = new Set<TimedStream>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(watched: TimedStream): void {
    this.#watched.add(watched)
    this.#timer ??= unref(setInterval(this.#tick, this.#everyMs))
  }

  delete(watched: TimedStream): void {
    this.#watched.delete(watched)
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  readonly #tick = (): void => {
    const now = Date.now()
    for (const watched of this.#watched) watched.tick(now)
  }
}

/** On runtimes where timers are plain numbers there is nothing to let go of. */
function unref(timer: ReturnType<typeof setInterval>): ReturnType<typeof setInterval> {
  if (typeof timer === 'object') timer.unref()
  return timer
}
