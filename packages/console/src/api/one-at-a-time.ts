/** Starts the work at once. Calls during the work, or the rest after it, lead to one more run. The work must not reject. */
export function oneAtATime(work: () => Promise<void>, restMs = 0): () => void {
  let isBusy = false
  let isAsked = false
  async function run(): Promise<void> {
    isBusy = true
    isAsked = false
    await work()
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
    isBusy = false
    if (isAsked) void run()
  }
  return () => {
    if (isBusy) isAsked = true
    else void run()
  }
}
