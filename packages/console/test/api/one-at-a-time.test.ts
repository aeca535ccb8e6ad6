import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { oneAtATime } from '../../src/api/one-at-a-time.js'

describe('one at a time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const work = (ms: number) => vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, ms)))

  it('runs the work immediately', () => {
    const done = work(10)
    oneAtATime(done)()
    expect(done).toHaveBeenCalledTimes(1)
  })

  it('runs the work once more, however often it was requested while it ran', async () => {
    const done = work(100)
    const ask = oneAtATime(done)
    for (let count = 0; count < 5; count++) ask()
    expect(done).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(100)
    expect(done).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(done).toHaveBeenCalledTimes(2)
  })

  it('finishes even if requests come faster than the work', async () => {
    const done = work(100)
    const ask = oneAtATime(done)
    for (let ms = 0; ms < 1_000; ms += 10) {
      ask()
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(done.mock.calls.length).toBeGreaterThanOrEqual(9)
  })

  it('pauses between two runs', async () => {
    const done = work(10)
    const ask = oneAtATime(done, 400)
    ask()
    await vi.advanceTimersByTimeAsync(20)
    ask()
    expect(done).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(390)
    expect(done).toHaveBeenCalledTimes(2)
  })
})
