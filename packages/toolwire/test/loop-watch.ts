// Watches the event loop while a test talks to a peer: no input of a stranger may hold it, whichever test sends it.
import { expect, onTestFinished } from 'vitest'
import { mainThreadMs } from '../../../bench/src/promises/loop-watch.js'

/**
 * Of CPU time between two turns of the loop. `npm run promises` holds products to 150 ms in processes of their own; here the test, its
 * peers and the compiler of the engine share the thread with what they test, on machines that do much else.
 */
const mostMs = Number(process.env.TOOLWIRE_MOST_BLOCK_MS ?? 1_000)
const mostBytes = 1024 * 1024 * 1024
const everyMs = 5

let excused = 0
let watching = false

/** What a test does itself in one go, such as making up a large message. It is not the product's doing. */
export function ownWork<T>(work: () => T): T {
  const began = mainThreadMs()
  try {
    return work()
  } finally {
    excused += mainThreadMs() - began
  }
}

/** Until the test is over; fails it when the loop was held. Called by what opens peers, as often as it likes. */
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
