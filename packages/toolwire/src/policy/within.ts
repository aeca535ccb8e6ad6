/** Waits for the work, but not for longer; the work itself is not stopped. */
export async function within<T>(ms: number, work: T | Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, timeUp])
  } finally {
    clearTimeout(timer)
  }
}
