export type Turn<T> = {
  readonly done: Promise<T>
  /** Resolves when the job begins; undefined if it began at once. */
  readonly begun: Promise<void> | undefined
  /** Gives the job up, unless it has begun. True if it will not run. */
  giveUp(): boolean
}

/** Runs a limited number of jobs at once and the others in turn. A job that is given up before its turn does not run. */
export function boundedTurns(most: number) {
  let running = 0
  const waiting: (() => void)[] = []

  function next(): void {
    running--
    // A job that was given up leaves its turn to the one behind it.
    while (running < most && waiting.length > 0) waiting.shift()?.()
  }

  return <T>(work: () => Promise<T>): Turn<T> => {
    let isGivenUp = false
    let hasBegun = false
    let begun: Promise<void> | undefined
    const done = new Promise<T>((resolve, reject) => {
      const start = () => {
        if (isGivenUp) return reject(new Error('The job was given up before its turn'))
        running++
        hasBegun = true
        work().finally(next).then(resolve, reject)
      }
      if (running < most) return start()
      begun = new Promise((begin) => {
        waiting.push(() => {
          start()
          begin()
        })
      })
    })
    return {
      done,
      begun,
      giveUp() {
        isGivenUp = !hasBegun
        return isGivenUp
      },
    }
  }
}
