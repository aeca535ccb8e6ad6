import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ratePaced } from '../../src/approvals/rate-paced.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A task that runs until `finish` is called. */
function slow() {
  const work = { runs: 0, finish: () => {} }
  const run = () => {
    work.runs++
    return new Promise<void>((resolve) => {
      work.finish = resolve
    })
  }
  return { ...ratePaced(run, 1_000), work }
}

it('runs soon, and once for many requests', async () => {
  const { soon, work } = slow()
  for (let count = 0; count < 50; count++) soon()
  await vi.advanceTimersByTimeAsync(200)
  expect(work.runs).toBe(1)
})

it('runs once more for requests made during a run, and only after that run', async () => {
  const { soon, work } = slow()
  soon()
  await vi.advanceTimersByTimeAsync(200)
  soon()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(work.runs).toBe(1)
  work.finish()
  await vi.advanceTimersByTimeAsync(200)
  expect(work.runs).toBe(2)
})

it('pauses between two runs', async () => {
  const { soon, work } = slow()
  soon()
  await vi.advanceTimersByTimeAsync(200)
  work.finish()
  await vi.advanceTimersByTimeAsync(0)
  soon()
  await vi.advanceTimersByTimeAsync(700)
  expect(work.runs).toBe(1)
  await vi.advanceTimersByTimeAsync(300)
  expect(work.runs).toBe(2)
})

it('does not run after it was stopped, even if requested during a run', async () => {
  const { soon, stop, work } = slow()
  soon()
  await vi.advanceTimersByTimeAsync(200)
  soon()
  stop()
  work.finish()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(work.runs).toBe(1)
})
