/** Runs a limited number of jobs at once and the others in turn. A job that is given up before its turn does not run. */
export function boundedTurns(most: number) {
  let running = 0
  const waiting: (() => void)[] = []

  function next(): void {
    running--
    // A job that was given up leaves its turn to the one behind it.
    while (running < most && waiting.length > 0) waiting.shift()?.()
  }

  return <T>(work: () => Promise<T>): { readonly done: Promise<T>; giveUp(): void } => {
    let isGivenUp = false
    const done = new Promise<T>((resolve, reject) => {
      const start = () => {
        if (isGivenUp) return reject(new Error('The job was given up before its turn'))
        running++
        work().finally(next).then(resolve, reject)
      }
      if (running < most) start()
      else waiting.push(start)
    })
    return {
      done,
      giveUp() {
        isGivenUp = true
      },
    }
  }
}
