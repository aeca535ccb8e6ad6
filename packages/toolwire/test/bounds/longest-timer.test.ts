// Node fires timers that are too long at once, so an option such as Infinity must not reach one.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { longestTimer } from '../../src/bounds/longest-timer.js'
import { onFileChange } from '../../src/policy/rules/read/file-changes.js'
import { redisLimits } from '../../src/redis.js'
import { streamTimer } from '../../src/transports/http/server/streams/event-stream.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe.each([2 ** 31, Number.POSITIVE_INFINITY])('a duration of %d ms', (ms) => {
  it('does not time out streams', async () => {
    vi.useFakeTimers()
    const tick = vi.fn()
    streamTimer(ms).add({ tick })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(tick).not.toHaveBeenCalled()
  })

  it('does not time out file polling', async () => {
    vi.useFakeTimers()
    const look = vi.fn(async () => undefined)
    const changes = await onFileChange(() => [], look, { pollMs: ms })
    await vi.advanceTimersByTimeAsync(1_000)
    changes.close()
    expect(look).toHaveBeenCalledOnce()
  })

  it('does not time out Redis', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    const client = { sendCommand: async () => [1, 0] }
    await Promise.resolve(redisLimits(client, { replicas: 1, withinMs: ms }).take('a', { calls: 1, per: 'minute' }, 0)).catch(
      () => 0,
    )
    expect(timeout).toHaveBeenCalledWith(longestTimer)
  })
})
