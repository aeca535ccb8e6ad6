import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hiddenMs, withStream } from '../../src/api/hidden-stream.js'

class Tab extends EventTarget {
  hidden = false

  turn(hidden: boolean): void {
    this.hidden = hidden
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

/** One lock, as browsers have it. */
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

  /** What became of the stream. */
  function stream() {
    const seen: string[] = []
    const run = async (signal: AbortSignal) => {
      seen.push('open')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      seen.push('closed')
    }
    void withStream(run, ended.signal)
    return seen
  }

  it('stays while the tab is visible, and in one hidden tab', async () => {
    const seen = stream()
    tab.turn(true)
    await vi.advanceTimersByTimeAsync(hiddenMs)
    expect([seen, lock.isHeld]).toEqual([['open'], true])
    tab.turn(false)
    await vi.advanceTimersByTimeAsync(1)
    expect([seen, lock.isHeld]).toEqual([['open'], false])
  })

  it('is closed in a tab that is hidden for a while, where another hidden tab has one', async () => {
    elsewhere()
    const seen = stream()
    tab.turn(true)
    await vi.advanceTimersByTimeAsync(hiddenMs / 2)
    tab.turn(false)
    await vi.advanceTimersByTimeAsync(hiddenMs)
    expect(seen).toEqual(['open'])
    tab.turn(true)
    await vi.advanceTimersByTimeAsync(hiddenMs)
    expect(seen).toEqual(['open', 'closed'])
  })

  it('is opened in a hidden tab when it becomes visible, or when the other one gives its stream up', async () => {
    tab.hidden = true
    const giveUp = elsewhere()
    const seen = stream()
    await vi.advanceTimersByTimeAsync(hiddenMs)
    expect(seen).toEqual([])
    tab.turn(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(seen).toEqual(['open'])
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
