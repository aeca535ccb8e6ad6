/**
 * Starts a stopwatch, which tells the milliseconds since then. The clock of the machine may be set back, and the monotonic one stands still
 * while the machine sleeps, so the greater of both times counts.
 */
export function stopwatch(now: () => number): () => number {
  const startedAt = now()
  const start = performance.now()
  return () => Math.max(now() - startedAt, performance.now() - start)
}
