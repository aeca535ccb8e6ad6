/** How long the quickest of three rounds took, in milliseconds, so that a busy machine does not count against the code. */
export function quickest(act: () => unknown): number {
  const rounds = [1, 2, 3].map(() => {
    const start = performance.now()
    act()
    return performance.now() - start
  })
  return Math.min(...rounds)
}
