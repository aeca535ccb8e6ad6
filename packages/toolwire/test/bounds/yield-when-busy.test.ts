// Concurrent long computations yield to the event loop together, and not only to each other.
import { afterEach, expect, it, vi } from 'vitest'
import { Random } from '../../../../bench/src/promises/random.js'
import { yieldToEventLoop, yieldWhenBusy } from '../../src/bounds/yield-when-busy.js'

afterEach(() => void vi.restoreAllMocks())

/** Counts the turns of the event loop until the returned `end` is called. */
function countingTurns(): { readonly now: () => number; readonly end: () => void } {
  let turns = 0
  let isOver = false
  const again = () => {
    turns++
    if (!isOver) setImmediate(again)
  }
  setImmediate(again)
  return {
    now: () => turns,
    end: () => {
      isOver = true
    },
  }
}

it('many concurrent computations do little work between two turns of the loop', async () => {
  const random = new Random(11)
  for (let run = 0; run < 10; run++) {
    // Each read of this clock adds a millisecond.
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now++)
    const counting = countingTurns()
    const steps = new Map<number, number>()
    const workers = 2 + random.below(30)
    const work = async (count: number) => {
      await yieldToEventLoop()
      const rest = yieldWhenBusy()
      for (let step = 0; step < count; step++) {
        steps.set(counting.now(), (steps.get(counting.now()) ?? 0) + 1)
        const pause = rest()
        if (pause) await pause
      }
    }
    const counts = Array.from({ length: workers }, () => 1 + random.below(200))
    await Promise.all(counts.map(work))
    counting.end()
    clock.mockRestore()
    const done = [...steps.values()]
    expect(done.reduce((sum, one) => sum + one, 0)).toBe(counts.reduce((sum, one) => sum + one, 0))
    expect(Math.max(...done)).toBeLessThanOrEqual(21)
  }
})

it('computations continue in the order in which they began', async () => {
  const order: number[] = []
  await Promise.all(Array.from({ length: 5 }, (_, at) => yieldToEventLoop().then(() => void order.push(at))))
  expect(order).toEqual([0, 1, 2, 3, 4])
})
