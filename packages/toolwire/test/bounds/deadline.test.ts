import { stat } from 'node:fs/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sharedDeadline, withDeadline } from '../../src/bounds/deadline.js'

const never = new Promise<never>(() => undefined)

describe('waiting with a shared deadline', () => {
  it('settles with a value or an error that comes in time', async () => {
    const within = sharedDeadline(5_000)
    expect(await within(Promise.resolve('there'))).toBe('there')
    await expect(within(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  it.each([
    2 ** 31,
    Number.MAX_VALUE,
    Number.POSITIVE_INFINITY,
  ])('sets no timer beyond the longest one of Node: %d ms', async (ms) => {
    const late = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => late.mockRestore())
    const ended = vi.fn()
    void sharedDeadline(ms)(never).finally(ended)
    const times = late.mock.calls.map(([, wait = 0]) => wait)
    expect(times.every((wait) => wait > 0 && wait < 2 ** 31)).toBe(true)
    expect(ended).not.toHaveBeenCalled()
  })

  it('accepts a value that arrived while the process was suspended, even after the deadline', async () => {
    const coming = sharedDeadline(50)(stat('.'))
    for (const until = performance.now() + 200; performance.now() < until; );
    expect((await coming).isDirectory()).toBe(true)
  })

  it('times out each promise at its own deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const within = sharedDeadline(100)
    const ends: string[] = []
    const first = within(never).catch(() => ends.push('first'))
    await vi.advanceTimersByTimeAsync(60)
    const second = within(never).catch(() => ends.push('second'))
    await vi.advanceTimersByTimeAsync(39)
    expect(ends).toEqual([])
    await vi.advanceTimersByTimeAsync(2)
    expect(ends).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(57)
    expect(ends).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(3)
    await Promise.all([first, second])
    expect(ends).toEqual(['first', 'second'])
    const third = expect(within(never)).rejects.toThrow('No answer within 100 ms')
    await vi.advanceTimersByTimeAsync(101)
    await third
  })
})

describe('withDeadline', () => {
  it.each([2 ** 31, Number.MAX_VALUE, Number.POSITIVE_INFINITY])('does not time out at once with %d ms', async (ms) => {
    const late = vi.fn()
    expect(await withDeadline(ms, new Promise((resolve) => setTimeout(resolve, 20, 'there')), late)).toBe('there')
    expect(late).not.toHaveBeenCalled()
  })

  it('settles in time, and leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const late = vi.fn()
    expect(await withDeadline(100, Promise.resolve('there'), late)).toBe('there')
    await expect(withDeadline(100, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken')
    expect([late.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('settles with the fallback after a timeout', async () => {
    expect(await withDeadline(1, never, () => 'late')).toBe('late')
    await expect(withDeadline(1, never)).rejects.toThrow('No answer within 1 ms')
    const refuse = () => {
      throw new Error('too late')
    }
    await expect(withDeadline(1, never, refuse)).rejects.toThrow('too late')
  })
})
