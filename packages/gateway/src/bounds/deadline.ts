/** Waits for work, but not for longer, and goes on with what `late` gives; or it throws. The work itself goes on. */
export async function withDeadline<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, timeUp.then(late)]).finally(() => clearTimeout(timer))
}
