/** Runs a limited number of jobs at once and the others in turn. A job that is given up before its turn does not run. */
export function boundedTurns(most: number) {
  let running = 0
  const waiting: (() => void)[] = []

  function next(): void {
    running--
    waiting.shift()?.()
  }

  return <T>(work: () => Promise<T>): { readonly done: Promise<T>; giveUp(): void } => {
    let isGivenUp = false
    const done = new Promise<T>((resolve, reject) => {
      const start = () => {
        running++
        if (isGivenUp) {
          next()
          reject(new Error('The job was given up before its turn'))
        } else work().finally(next).then(resolve, reject)
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
