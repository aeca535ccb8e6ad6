/** Does so many things at once, and the others in their turn; what was given up before its turn is not done. */
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
          reject(new Error('It was given up before its turn'))
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
