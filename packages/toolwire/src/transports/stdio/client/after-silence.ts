/** The longest wait, because a server could send lines without end. */
const longestMs = 60_000

/** Calls back after this time, once all that has arrived is heard. The returned function cancels this. */
export function afterSilence(ms: number, isBehind: () => boolean, then: () => void): () => void {
  const until = performance.now() + longestMs
  const isWaiting = () => isBehind() && performance.now() < until
  let isCancelled = false
  let timer: NodeJS.Timeout
  const wait = (): void => {
    timer = setTimeout(() => (isWaiting() ? wait() : setImmediate(look)), ms)
  }
  /** After the process has stood still, a timer fires before output that has arrived meanwhile is read. */
  const look = (): void => {
    if (isCancelled) return
    if (isWaiting()) wait()
    else then()
  }
  wait()
  return () => {
    isCancelled = true
    clearTimeout(timer)
  }
}
