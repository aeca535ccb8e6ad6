/** How long to wait at first, by how much more each time, and how long at most. */
const usual = { firstMs: 1_000, growth: 1.5, longestMs: 30_000 }

/** How long to wait before the next attempt: longer each time, and never the same for two clients. */
export function backoff(attempt: number, random = Math.random, { firstMs, growth, longestMs } = usual): number {
  const most = Math.min(firstMs * growth ** attempt, longestMs)
  return most / 2 + (most / 2) * random()
}
