import { reportFault } from '../server/report-fault.js'

type RepeatOptions = {
  readonly everyMs: number
  /** Called when it has failed for some seconds. */
  readonly giveUp?: (why: unknown) => void
}

const patienceMs = 4_000

/** Starts a look that is repeated as long as anybody wants it; there is one at a time. It goes on when it has failed. */
export function repeatWhile(isWanted: () => boolean, look: () => Promise<void>, { everyMs, giveUp }: RepeatOptions): () => void {
  let isRunning = false
  async function repeat(): Promise<void> {
    let failingSince: number | undefined
    while (isWanted()) {
      try {
        await look()
        failingSince = undefined
      } catch (thrown) {
        if (failingSince === undefined) reportFault('looking for what other replicas have done', thrown)
        failingSince ??= performance.now()
        if (performance.now() - failingSince > patienceMs) giveUp?.(thrown)
      }
      await new Promise((resolve) => {
        // It keeps no process alive.
        const timer = setTimeout(resolve, everyMs)
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
