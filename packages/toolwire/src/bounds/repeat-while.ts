type RepeatOptions = {
  readonly everyMs: number
  /** Called with the first of several failures in a row. */
  readonly onFault?: (why: unknown) => void
  /** Called when it has failed for some seconds. */
  readonly giveUp?: (why: unknown) => void
}

const patienceMs = 4_000

/**
 * Starts a look that is repeated as long as anybody wants it; there is one at a time, and it keeps no process alive. It goes on when
 * it has failed.
 */
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
        // On runtimes where timers are plain numbers there is nothing to let go of.
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
