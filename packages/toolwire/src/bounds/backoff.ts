/** How long to wait at first, by how much more each time, and how long at most. */
type BackoffTimes = { readonly firstMs: number; readonly growth: number; readonly longestMs: number }

const usual: BackoffTimes = { firstMs: 1_000, growth: 1.5, longestMs: 30_000 }

/** How long to wait before the next attempt: longer each time, and never the same for two clients. */
export function backoff(attempt: number, random: () => number = Math.random, { firstMs, growth, longestMs } = usual): number {
  const most = Math.min(firstMs * growth ** attempt, longestMs)
  return most / 2 + (most / 2) * random()
}
