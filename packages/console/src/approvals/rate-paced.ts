const soonMs = 120

/** Runs soon after a request, but never again before `pauseMs` has passed, however many requests there are. */
export function ratePaced(run: () => Promise<void>, pauseMs: number): { readonly soon: () => void; readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = Number.NEGATIVE_INFINITY
  let again = false
  let isStopped = false
  function soon(): void {
    again = timer !== undefined
    if (!again && !isStopped) timer = setTimeout(due, Math.max(soonMs, last + pauseMs - performance.now()))
  }
  async function due(): Promise<void> {
    last = performance.now()
    again = false
    await run()
    timer = undefined
    // A request made during the run may concern a change that the run has not seen.
    if (again) soon()
  }
  function stop(): void {
    isStopped = true
    clearTimeout(timer)
  }
  return { soon, stop }
}
