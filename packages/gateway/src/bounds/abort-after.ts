import { longestTimer } from './longest-timer.js'

/**
 * A signal that aborts with the given one, or after some time. `AbortSignal.any` cannot be used, because its signal may be
 * garbage-collected while it is awaited. https://github.com/nodejs/node/issues/57736
 */
export function abortAfter(signal: AbortSignal, ms: number): AbortSignal {
  const over = new AbortController()
  const end = (reason: unknown) => {
    clearTimeout(timer)
    signal.removeEventListener('abort', gone)
    over.abort(reason)
  }
  const gone = () => end(signal.reason)
  const timer = setTimeout(
    () => end(new DOMException(`It took longer than ${ms} ms`, 'TimeoutError')),
    Math.min(ms, longestTimer),
  ).unref()
  signal.addEventListener('abort', gone)
  if (signal.aborted) gone()
  return over.signal
}
