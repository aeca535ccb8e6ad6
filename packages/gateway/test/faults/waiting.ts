// Waits for conditions, with a limit that suits a busy machine, instead of for fixed times.
import { spawnSync } from 'node:child_process'
import { howMany, soaking } from '../../../toolwire/test/soak.js'

export { until, until as eventually } from '../../../toolwire/test/waiting.js'

/** The shortest of several durations, until one is within the bound. Load on the machine only adds time. */
export async function quickest(boundMs: number, round: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < howMany(1, 60) && shortest >= boundMs; nth++) shortest = Math.min(shortest, await round())
  return shortest
}

const usualStartMs = 100

/** How many times longer than usual an empty Node process takes to start now; 1 on an idle machine. */
export function slowness(): number {
  if (!soaking) return 1
  const starts = [1, 2, 3].map(() => {
    const began = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    return performance.now() - began
  })
  return Math.max(1, Math.min(...starts) / usualStartMs)
}
