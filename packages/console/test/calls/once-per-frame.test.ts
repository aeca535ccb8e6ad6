import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { oncePerFrame } from '../../src/calls/follow-calls.js'

describe('once per frame', () => {
  let frames: (() => void)[] = []
  const frame = () => {
    for (const one of frames.splice(0)) one()
  }

  beforeEach(() => {
    frames = []
    vi.useFakeTimers()
    vi.stubGlobal('requestAnimationFrame', (then: () => void) => frames.push(then))
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('calls back once, however often it was requested', () => {
    const then = vi.fn()
    const ask = oncePerFrame(then)
    for (let count = 0; count < 1_000; count++) ask()
    vi.advanceTimersByTime(100)
    frame()
    vi.advanceTimersByTime(10_000)
    expect(then).toHaveBeenCalledTimes(1)
  })

  it('pauses before the next call', () => {
    const then = vi.fn()
    const ask = oncePerFrame(then)
    for (let ms = 0; ms < 1_000; ms += 10) {
      ask()
      vi.advanceTimersByTime(10)
      frame()
    }
    expect(then.mock.calls.length).toBeGreaterThan(5)
    expect(then.mock.calls.length).toBeLessThanOrEqual(10)
  })

  it('does not wait for a frame for ever, because a hidden page has none', () => {
    const then = vi.fn()
    const ask = oncePerFrame(then)
    ask()
    vi.advanceTimersByTime(500)
    expect(then).toHaveBeenCalledTimes(1)
    frame()
    ask()
    vi.advanceTimersByTime(500)
    expect(then).toHaveBeenCalledTimes(2)
  })
})
