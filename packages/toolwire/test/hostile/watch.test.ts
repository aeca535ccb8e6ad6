// The measurement of event loop blocks and memory must neither miss them nor report false ones.
import { describe, expect, it } from 'vitest'
import { expectAfter, expectWithin, soaking } from '../soak.js'
import { pause } from './fault.js'
import { Watch } from './watch.js'

/** Works for the given CPU time, because other processes may use the processor meanwhile. */
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
    it('measures a block of the event loop', async () => {
      const watch = new Watch()
      await pause(20)
      work(400)
      await pause(20)
      expectAfter(watch.stop().blockMs, 150)
    })

  if (soaking)
    it('reports no block while another process has the processor', async () => {
      const watch = new Watch()
      await pause(20)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
      await pause(20)
      expectWithin(watch.stop().blockMs, 100)
    })

  it('measures memory that is held temporarily', async () => {
    const watch = new Watch()
    let held = [Buffer.alloc(64 * 1024 * 1024)]
    await pause(100)
    held = []
    await pause(50)
    expect(held).toEqual([])
    expect(watch.stop().grownMiB).toBeGreaterThan(60)
  })

  it('ignores garbage', async () => {
    const watch = new Watch()
    for (let round = 0; round < 10; round++) {
      Buffer.alloc(16 * 1024 * 1024)
      await pause(10)
    }
    expect(watch.stop().grownMiB).toBeLessThan(32)
  })
})
