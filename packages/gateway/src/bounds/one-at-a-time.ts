/** Runs tasks one after the other, even if one fails. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine
    return mine
  }
}

/** Runs one task after the other as well. `ifIdle` does nothing while one is running, so that the tasks of a timer do not pile up. */
export function repeatedTask<Args extends unknown[]>(work: (...args: Args) => Promise<void>) {
  const inTurn = oneAtATime()
  let underWay = 0
  const now = (...args: Args): Promise<void> => {
    underWay++
    return inTurn(() => work(...args)).finally(() => {
      underWay--
    })
  }
  return {
    now,
    ifIdle(...args: Args): void {
      if (underWay === 0) void now(...args)
    },
  }
}
