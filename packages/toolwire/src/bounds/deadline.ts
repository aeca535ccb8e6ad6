import { longestTimer } from './longest-timer.js'
import { TimerQueue } from './timer-queue.js'

/** Waits for the work at most `ms` milliseconds; the work itself goes on. After that time, `late` provides the result or throws. */
export async function withDeadline<T, L = never>(
  ms: number,
  work: T | Promise<T>,
  late: () => L = () => {
    throw deadlineError(ms)
  },
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<void>((resolve) => {
    if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(resolve, Math.min(ms, longestTimer))
  })
  try {
    return await Promise.race([work, timeUp.then(late)])
  } finally {
    clearTimeout(timer)
  }
}

/** Like `withDeadline`, for code that waits in every call: all waits share one timer, and none is a race. */
export function sharedDeadline(ms: number): <T>(work: Promise<T>) => Promise<T> {
  const timerQueue = new TimerQueue()
  return (work) =>
    new Promise((resolve, reject) => {
      const now = performance.now()
      const over = (tell: () => void) => {
        timerQueue.delete(limit)
        tell()
      }
      const limit = { place: 0, due: now + ms, ring: () => over(() => reject(deadlineError(ms))) }
      timerQueue.add(limit, now)
      work.then(
        (value) => over(() => resolve(value)),
        (thrown) => over(() => reject(thrown)),
      )
    })
}

const deadlineError = (ms: number): Error => new Error(`No answer within ${ms} ms`)
