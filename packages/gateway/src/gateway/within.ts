/** Aborted when the given signal is, or after some time. */
export function within(signal: AbortSignal, ms: number): AbortSignal {
  const deadline = AbortSignal.timeout(ms)
  // Node collects a timeout as garbage if only `AbortSignal.any` follows it, and it never comes; not one with a listener.
  // https://github.com/nodejs/node/issues/57736
  deadline.addEventListener('abort', () => {}, { once: true })
  return AbortSignal.any([signal, deadline])
}
