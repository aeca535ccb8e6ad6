// A browser opens six connections to the gateway for all tabs together, so hidden tabs share one event stream. The tab that has it shows
// notifications for all of them.

const lockName = 'toolwire-hidden-stream'
/** A tab that is hidden for a moment keeps its stream. */
export const hiddenMs = 30_000

/** Runs when this tab may have a stream: it is visible, or no other hidden tab has one. The signal is aborted when another one has it. */
export async function withStream<T>(run: (signal: AbortSignal) => Promise<T>, ended: AbortSignal): Promise<T> {
  // Only pages at a secure origin have locks.
  if (!navigator.locks) return run(ended)
  const over = new AbortController()
  const signal = AbortSignal.any([ended, over.signal])
  let release = document.hidden ? await nextTurn(ended) : undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  function setLock(next: (() => void) | undefined): void {
    release?.()
    release = next
  }
  async function share(): Promise<void> {
    if (!release) setLock(await heldLock({ ifAvailable: true }))
    if (!release) over.abort()
    else if (!document.hidden || signal.aborted) setLock(undefined)
  }
  const look = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(share, hiddenMs)
    else setLock(undefined)
  }
  document.addEventListener('visibilitychange', look, { signal })
  try {
    return await run(signal)
  } finally {
    clearTimeout(timer)
    over.abort()
    setLock(undefined)
  }
}

/** Waits until the tab is visible or has the lock; returns how to release the lock. */
async function nextTurn(ended: AbortSignal): Promise<(() => void) | undefined> {
  const waiting = new AbortController()
  const { signal } = waiting
  const onChange = () => document.hidden || waiting.abort()
  document.addEventListener('visibilitychange', onChange, { signal })
  ended.addEventListener('abort', () => waiting.abort(), { signal })
  const release = await heldLock({ signal })
  waiting.abort()
  return release
}

/** Returns how to release the lock; undefined if it was not given. */
const heldLock = (options: LockOptions): Promise<(() => void) | undefined> =>
  new Promise((resolve) => {
    const hold = (lock: Lock | null) => (lock ? new Promise<void>((release) => resolve(release)) : resolve(undefined))
    // Rejects if the signal is aborted.
    navigator.locks.request(lockName, options, hold).catch(() => resolve(undefined))
  })
