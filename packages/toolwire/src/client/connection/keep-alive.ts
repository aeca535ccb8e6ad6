// Keeps the process alive while somebody waits for an answer. The clocks do not: there may be none, and they are for all.

type Timer = ReturnType<typeof setInterval> & { ref?: () => void; unref?: () => void }

/** It only has to be there. */
const longestMs = 2 ** 31 - 1

/** One timer for all who wait, switched on and off: making one for each request would cost more than the rest of it. */
export class KeepAlive {
  #waiting = 0
  #timer: Timer | undefined

  begin(): void {
    if (this.#waiting++ > 0) return
    this.#timer ??= setInterval(() => undefined, longestMs)
    this.#timer.ref?.()
  }

  end(): void {
    if (--this.#waiting === 0) this.#timer?.unref?.()
  }
}
