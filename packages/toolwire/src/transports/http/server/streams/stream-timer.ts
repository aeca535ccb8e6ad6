export type StreamTimer = ReturnType<typeof streamTimer>

/** Something to be looked after from time to time. */
export type TimedStream = { tick(now: number): void }

/** One timer for all streams; it runs only while there are any, and keeps no process alive. */
export function streamTimer(everyMs: number) {
  const watched = new Set<TimedStream>()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    const now = Date.now()
    for (const stream of watched) stream.tick(now)
  }
  return {
    add(stream: TimedStream): void {
      watched.add(stream)
      if (timer !== undefined) return
      timer = setInterval(tick, everyMs)
      // On runtimes where timers are plain numbers there is nothing to let go of.
      if (typeof timer === 'object') timer.unref()
    },
    delete(stream: TimedStream): void {
      watched.delete(stream)
      if (watched.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }
}
