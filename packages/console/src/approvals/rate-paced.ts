const soonMs = 120

/** Runs soon after it is asked to, and not again before some time has passed, however often it is asked. */
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
    // What was asked for while it ran may be about what it has not seen.
    if (again) soon()
  }
  function stop(): void {
    isStopped = true
    clearTimeout(timer)
  }
  return { soon, stop }
}
