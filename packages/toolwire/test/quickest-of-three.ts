import { howMany } from './soak.js'
/** How long the quickest of three rounds took (in the suite there is one), in milliseconds, so that a busy machine does not count against the code. */
export function quickest(act: () => unknown): number {
  const rounds = Array.from({ length: howMany(1, 3) }, () => {
    const start = performance.now()
    act()
    return performance.now() - start
  })
  return Math.min(...rounds)
}
