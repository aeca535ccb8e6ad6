const firstMs = 1_000
const growth = 1.5
const longestMs = 30_000

/** How long to wait after so many failures in a row: up to longer each time, and never the same for many who lost the same server. */
export const backoff = (failures: number, random: () => number = Math.random): number =>
  Math.min(firstMs * growth ** Math.max(0, failures - 1), longestMs) * random()
