/** Waits for work, but not for longer; the work itself goes on. */
export async function withDeadline(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, timeUp]).finally(() => clearTimeout(timer))
}
