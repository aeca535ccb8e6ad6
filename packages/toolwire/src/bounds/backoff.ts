const firstMs = 1_000
const growth = 1.5
const longestMs = 30_000

/** How long to wait before the next attempt: longer each time, and never the same for two clients. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const most = Math.min(firstMs * growth ** attempt, longestMs)
  return most / 2 + (most / 2) * random()
}
