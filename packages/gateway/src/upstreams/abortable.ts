import type { CancelToken } from 'toolwire/client'

/** Waits for work that goes on for others too, for as long as this one wants to. */
export async function abortable<T>(work: Promise<T>, signal: CancelToken | undefined): Promise<T> {
  if (!signal) return work
  if (signal.aborted) throw signal.reason
  let abort: (() => void) | undefined
  const enough = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, enough])
  } finally {
    if (abort) signal.removeEventListener('abort', abort)
  }
}
