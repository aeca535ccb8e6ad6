const usual = { firstMs: 1_000, growth: 1.5, longestMs: 30_000 }

/** Delay in milliseconds before the next attempt. It grows with each attempt and is random, so that clients do not retry together. */
export function backoff(attempt: number, random = Math.random, { firstMs, growth, longestMs } = usual): number {
  const most = Math.min(firstMs * growth ** attempt, longestMs)
  return most / 2 + (most / 2) * random()
}
