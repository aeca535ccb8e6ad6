// The measuring itself: what it must not overlook, and what it must not be misled by.
import { describe, expect, it } from 'vitest'
import { expectAfter, expectWithin, soaking } from '../soak.js'
import { pause } from './fault.js'
import { Watch } from './watch.js'

/** By this process's own clock: others may have the processor meanwhile. */
function work(ms: number): void {
  const begun = process.cpuUsage()
  const workedMs = () => {
    const { user, system } = process.cpuUsage(begun)
    return (user + system) / 1_000
  }
  while (workedMs() < ms);
}

describe('A watch', () => {
  if (soaking)
    it('sees a block of the event loop', async () => {
      const watch = new Watch()
      await pause(20)
      work(400)
      await pause(20)
      expectAfter(watch.stop().blockMs, 150)
    })

  if (soaking)
    it('sees no block where somebody else has the processor', async () => {
      const watch = new Watch()
      await pause(20)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
      await pause(20)
      expectWithin(watch.stop().blockMs, 100)
    })

  it('sees memory that is held for a while, and given back', async () => {
    const watch = new Watch()
    let held = [Buffer.alloc(64 * 1024 * 1024)]
    await pause(100)
    held = []
    await pause(50)
    expect(held).toEqual([])
    expect(watch.stop().grownMiB).toBeGreaterThan(60)
  })

  it('does not count garbage', async () => {
    const watch = new Watch()
    for (let round = 0; round < 10; round++) {
      Buffer.alloc(16 * 1024 * 1024)
      await pause(10)
    }
    expect(watch.stop().grownMiB).toBeLessThan(32)
  })
})
