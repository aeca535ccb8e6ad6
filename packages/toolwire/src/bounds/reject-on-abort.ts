import type { CancelToken } from './cancel-token.js'

/** Rejects with the reason of the signal once it aborts. The listener stays until then. */
export function rejectOnAbort(signal: CancelToken): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
