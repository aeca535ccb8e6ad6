import { stat } from 'node:fs/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sharedDeadline, withDeadline } from '../../src/bounds/deadline.js'

const never = new Promise<never>(() => undefined)

describe('waiting, but not for longer', () => {
  it('gives what comes in time, whatever that is', async () => {
    const within = sharedDeadline(5_000)
    expect(await within(Promise.resolve('there'))).toBe('there')
    await expect(within(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  it.each([
    2 ** 31,
    Number.MAX_VALUE,
    Number.POSITIVE_INFINITY,
  ])('wakes nobody for a time that no timer has: %d ms', async (ms) => {
    const late = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => late.mockRestore())
    const ended = vi.fn()
    void sharedDeadline(ms)(never).finally(ended)
    const times = late.mock.calls.map(([, wait = 0]) => wait)
    expect(times.every((wait) => wait > 0 && wait < 2 ** 31)).toBe(true)
    expect(ended).not.toHaveBeenCalled()
  })

  it('takes what has come while the process stood still, though its time is over', async () => {
    const coming = sharedDeadline(50)(stat('.'))
    for (const until = performance.now() + 200; performance.now() < until; );
    expect((await coming).isDirectory()).toBe(true)
  })

  it('gives up on each when its own time is up', async () => {
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

describe('one deadline', () => {
  it.each([2 ** 31, Number.MAX_VALUE, Number.POSITIVE_INFINITY])('is not over at once: %d ms', async (ms) => {
    const late = vi.fn()
    expect(await withDeadline(ms, new Promise((resolve) => setTimeout(resolve, 20, 'there')), late)).toBe('there')
    expect(late).not.toHaveBeenCalled()
  })

  it('gives what comes in time, and leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const late = vi.fn()
    expect(await withDeadline(100, Promise.resolve('there'), late)).toBe('there')
    await expect(withDeadline(100, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken')
    expect([late.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('goes on with what is said when the time is up', async () => {
    expect(await withDeadline(1, never, () => 'late')).toBe('late')
    await expect(withDeadline(1, never)).rejects.toThrow('No answer within 1 ms')
    const refuse = () => {
      throw new Error('too late')
    }
    await expect(withDeadline(1, never, refuse)).rejects.toThrow('too late')
  })
})
