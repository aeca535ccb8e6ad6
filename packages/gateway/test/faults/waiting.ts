// Waits for conditions, with a limit that suits a busy machine, instead of for fixed times.
import { spawnSync } from 'node:child_process'
import { howMany, soaking } from '../../../toolwire/test/soak.js'

const longestMs = 60_000

/** Polls until the condition holds. */
export async function until(look: () => boolean | Promise<boolean>, ms = longestMs, everyMs = 20): Promise<void> {
  await eventually(async () => (await look()) || undefined, ms, everyMs)
}

/** Polls until there is a value, and returns it. */
export async function eventually<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  ms = longestMs,
  everyMs = 20,
): Promise<T> {
  const end = performance.now() + ms
  for (;;) {
    const seen = await look()
    if (seen) return seen
    if (performance.now() > end) throw new Error(`The condition did not hold within ${ms} ms: ${look}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

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
