// Watches the event loop during tests that talk to a peer. No input from a peer may block the loop.
import { expect, onTestFinished } from 'vitest'
import { mainThreadMs } from '../../../bench/src/promises/loop-watch.js'

/**
 * Limit of CPU time between two turns of the loop. `npm run promises` holds the products to 150 ms in separate processes. Here the test,
 * its peers and the JIT compiler share the thread with the product, on a busy machine.
 */
const mostMs = Number(process.env.TOOLWIRE_MOST_BLOCK_MS ?? 1_000)
const mostBytes = 1024 * 1024 * 1024
const everyMs = 5

let excused = 0
let watching = false

/** Excludes work of the test itself, such as building a large message, from the measurement. */
export function ownWork<T>(work: () => T): T {
  const began = mainThreadMs()
  try {
    return work()
  } finally {
    excused += mainThreadMs() - began
  }
}

/** Watches until the test ends, and fails the test if the loop was blocked. Repeated calls have no effect. */
export function watchLoop(): void {
  if (watching) return
  watching = true
  excused = 0
  let cpu = mainThreadMs()
  let longest = 0
  const before = inUse()
  let most = before
  const look = () => {
    const now = mainThreadMs()
    longest = Math.max(longest, now - cpu - excused)
    excused = 0
    cpu = now
    most = Math.max(most, inUse())
  }
  const timer = setInterval(look, everyMs)
  timer.unref()
  const name = expect.getState().currentTestName
  onTestFinished(() => {
    clearInterval(timer)
    watching = false
    look()
    if (longest > mostMs)
      throw new Error(
        `"${name}" held the event loop for ${Math.round(longest)} ms of CPU time in one go, and ${mostMs} are allowed`,
      )
    if (most - before > mostBytes)
      throw new Error(
        `"${name}" took ${Math.round((most - before) / 1024 / 1024)} MiB, and ${mostBytes / 1024 / 1024} are allowed`,
      )
  })
}

function inUse(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
