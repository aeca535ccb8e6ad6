import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hiddenMs, withStream } from '../../src/api/hidden-stream.js'

class Tab extends EventTarget {
  hidden = false

  turn(hidden: boolean): void {
    this.hidden = hidden
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

/** A stand-in for the Web Locks API with a single lock. */
function oneLock() {
  const waiting: (() => void)[] = []
  let isHeld = false
  async function hold(work: (lock: object | null) => Promise<void>): Promise<void> {
    isHeld = true
    await work({})
    isHeld = false
    waiting.shift()?.()
  }
  return {
    get isHeld() {
      return isHeld
    },
    async request(_: string, { ifAvailable, signal }: LockOptions, work: (lock: object | null) => Promise<void>): Promise<void> {
      if (!isHeld) return hold(work)
      if (ifAvailable) return work(null)
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve)
        signal?.addEventListener('abort', () => {
          waiting.splice(waiting.indexOf(resolve), 1)
          reject(signal.reason)
        })
      })
      return hold(work)
    },
  }
}

describe('the event stream of a tab', () => {
  let tab: Tab
  let lock: ReturnType<typeof oneLock>
  let ended: AbortController

  beforeEach(() => {
    vi.useFakeTimers()
    tab = new Tab()
    lock = oneLock()
    ended = new AbortController()
    vi.stubGlobal('document', tab)
    vi.stubGlobal('navigator', { locks: lock })
  })
  afterEach(() => {
    ended.abort()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  /** Another hidden tab has the lock until the returned function is called. */
  function elsewhere(): () => void {
    let release = () => {}
    void lock.request('', {}, () => new Promise((resolve) => (release = resolve)))
    return () => release()
  }

  /** Opens the stream, and returns what happened to it. */
  function stream() {
    const events: string[] = []
    const run = async (signal: AbortSignal) => {
      events.push('open')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      events.push('closed')
    }
    void withStream(run, ended.signal)
    return events
  }

  it('stays open while the tab is visible, and in one hidden tab', async () => {
    const events = stream()
    tab.turn(true)
    await vi.advanceTimersByTimeAsync(hiddenMs)
    expect([events, lock.isHeld]).toEqual([['open'], true])
    tab.turn(false)
    await vi.advanceTimersByTimeAsync(1)
    expect([events, lock.isHeld]).toEqual([['open'], false])
  })

  it('is closed in a tab that has been hidden for a while if another hidden tab has a stream', async () => {
    elsewhere()
    const events = stream()
    tab.turn(true)
    await vi.advanceTimersByTimeAsync(hiddenMs / 2)
    tab.turn(false)
    await vi.advanceTimersByTimeAsync(hiddenMs)
    expect(events).toEqual(['open'])
    tab.turn(true)
    await vi.advanceTimersByTimeAsync(hiddenMs)
    expect(events).toEqual(['open', 'closed'])
  })

  it('is opened in a hidden tab when the tab becomes visible, or when the other tab closes its stream', async () => {
    tab.hidden = true
    const giveUp = elsewhere()
    const events = stream()
    await vi.advanceTimersByTimeAsync(hiddenMs)
    expect(events).toEqual([])
    tab.turn(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(events).toEqual(['open'])
    tab.hidden = true
    const later = stream()
    giveUp()
    await vi.advanceTimersByTimeAsync(1)
    expect([later, lock.isHeld]).toEqual([['open'], true])
    ended.abort()
    await vi.advanceTimersByTimeAsync(1)
    expect(lock.isHeld).toBe(false)
  })
})
