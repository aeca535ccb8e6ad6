/**
 * Begins at once. However often it is asked for until the work is done and a rest is over, it is done once more then. The work must
 * not reject.
 */
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
