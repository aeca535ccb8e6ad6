import { longestTimer } from './longest-timer.js'

/** Waits for work for a limited time, then returns the result of `late`, or throws its error. The work itself goes on. */
export async function withDeadline<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, longestTimer))
  })
  return Promise.race([work, timeUp.then(late)]).finally(() => clearTimeout(timer))
}
