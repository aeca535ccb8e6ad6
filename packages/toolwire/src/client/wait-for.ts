import type { CancelToken } from '../bounds/cancel-token.js'
import { withDeadline } from '../bounds/deadline.js'
import { cancelled } from './connection/call-failures.js'
import { CallFailure } from './errors.js'

export type WaitOptions = { readonly signal?: CancelToken | undefined; readonly totalMs?: number | undefined }

/** Waits for shared work until this caller aborts or its time is up. The work itself goes on for others. */
export async function waitFor<T>(work: Promise<T>, { signal, totalMs }: WaitOptions, what: string): Promise<T> {
  if (!signal && totalMs === undefined) return work
  let abort: (() => void) | undefined
  const enough = new Promise<never>((_, reject) => {
    abort = () => reject(cancelled(what, signal?.reason))
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
  })
  try {
    const wanted = Promise.race([work, enough])
    if (totalMs === undefined) return await wanted
    return await withDeadline(totalMs, wanted, () => {
      throw new CallFailure('timed_out', `${what} took longer than ${totalMs} ms (totalMs)`)
    })
  } finally {
    if (abort) signal?.removeEventListener('abort', abort)
    work.catch(() => undefined) // other waiters handle the failure
  }
}

/** Waits for a time; rejects early if the caller aborts. */
export async function pause(ms: number, signal: CancelToken | undefined, what: string): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await waitFor(over, { signal }, what).finally(() => clearTimeout(timer))
}
