import { howMany } from './soak.js'
/**
 * Duration of the fastest of three rounds, in milliseconds, so that a busy machine does not distort it. The regular suite has one round.
 */
export function quickest(act: () => unknown): number {
  const rounds = Array.from({ length: howMany(1, 3) }, () => {
    const start = performance.now()
    act()
    return performance.now() - start
  })
  return Math.min(...rounds)
}
