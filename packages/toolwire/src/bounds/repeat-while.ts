type RepeatOptions = {
  readonly everyMs: number
  /** Waits before the first time as well. */
  readonly startsLater?: boolean
  /** Repeats at once after a failure, as long as failures in a row have lasted for less than this. */
  readonly urgentMs?: number
  /** Called with the first of several failures in a row. */
  readonly onFault?: (why: unknown) => void
  /** Called with each failure after failures in a row for more than `patienceMs`. */
  readonly giveUp?: (why: unknown) => void
}

const patienceMs = 4_000
const atOnceMs = 100

/** Returns a function that starts repeating `look`, unless it is running. Failures do not stop it, and it keeps no process alive. */
export function repeatWhile(isWanted: () => boolean, look: () => Promise<void>, options: RepeatOptions): () => void {
  const { everyMs, startsLater, urgentMs = 0, onFault, giveUp } = options
  let isRunning = false
  let failingSince: number | undefined

  function failed(why: unknown): void {
    if (failingSince === undefined) onFault?.(why)
    failingSince ??= performance.now()
    if (performance.now() - failingSince > patienceMs) giveUp?.(why)
  }

  const isUrgent = () => failingSince !== undefined && performance.now() - failingSince < urgentMs

  async function repeat(): Promise<void> {
    if (startsLater) await pause(everyMs)
    while (isWanted()) {
      try {
        await look()
        failingSince = undefined
      } catch (thrown) {
        failed(thrown)
      }
      await pause(isUrgent() ? atOnceMs : everyMs)
    }
    isRunning = false
  }

  return () => {
    if (isRunning) return
    isRunning = true
    void repeat()
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    // On runtimes where timers are plain numbers there is no `unref`.
    if (typeof timer === 'object') timer.unref()
  })
