type RepeatOptions = {
  readonly everyMs: number
  /** Called with the first of several failures in a row. */
  readonly onFault?: (why: unknown) => void
  /** Called with each failure after failures in a row for more than `patienceMs`. */
  readonly giveUp?: (why: unknown) => void
}

const patienceMs = 4_000

/** Returns a function that starts repeating `look`, unless it is running. Failures do not stop it, and it keeps no process alive. */
export function repeatWhile(isWanted: () => boolean, look: () => Promise<void>, options: RepeatOptions): () => void {
  const { everyMs, onFault, giveUp } = options
  let isRunning = false
  let failingSince: number | undefined

  function failed(why: unknown): void {
    if (failingSince === undefined) onFault?.(why)
    failingSince ??= performance.now()
    if (performance.now() - failingSince > patienceMs) giveUp?.(why)
  }

  async function repeat(): Promise<void> {
    while (isWanted()) {
      try {
        await look()
        failingSince = undefined
      } catch (thrown) {
        failed(thrown)
      }
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, everyMs)
        // On runtimes where timers are plain numbers there is no `unref`.
        if (typeof timer === 'object') timer.unref()
      })
    }
    isRunning = false
  }

  return () => {
    if (isRunning) return
    isRunning = true
    void repeat()
  }
}
