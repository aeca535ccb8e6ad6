import { TimerQueue } from './timer-queue.js'

/** Waits for the work, but not for longer; the work itself is not stopped. */
export async function withDeadline<T>(ms: number, work: T | Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(deadlineError(ms)), ms)
  })
  try {
    return await Promise.race([work, timeUp])
  } finally {
    clearTimeout(timer)
  }
}

/** The same for who waits with every call: one timer for all of them, and nothing that is raced. */
export function sharedDeadline(ms: number): <T>(work: Promise<T>) => Promise<T> {
  const alarm = new TimerQueue()
  return (work) =>
    new Promise((resolve, reject) => {
      let isOver = false
      const over = (tell: () => void) => {
        if (isOver) return
        isOver = true
        alarm.delete(limit)
        tell()
      }
      const now = performance.now()
      const limit = { place: 0, due: now + ms, ring: () => over(() => reject(deadlineError(ms))) }
      alarm.add(limit, now)
      work.then(
        (value) => over(() => resolve(value)),
        (thrown) => over(() => reject(thrown)),
      )
    })
}

const deadlineError = (ms: number): Error => new Error(`No answer within ${ms} ms`)
