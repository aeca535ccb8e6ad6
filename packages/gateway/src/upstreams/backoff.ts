const firstMs = 1_000
const growth = 2
const longestMs = 120_000

/**
 * How long to wait after so many failures in a row: up to longer each time, and never the same for many who lost the same server. A
 * call is not kept waiting by it.
 */
export const backoff = (failures: number, random: () => number = Math.random): number =>
  Math.min(firstMs * growth ** Math.max(0, failures - 1), longestMs) * (0.5 + random() / 2)
