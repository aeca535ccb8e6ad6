import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenToGateway } from '../../src/api/event-feed.js'
import { session } from '../../src/api/session.js'
import { followCalls, lastMinute, runningCalls } from '../../src/calls/follow-calls.js'

const about = { call: 1, tool: 'add', server: 'sums', caller: 'local' }

describe('followed calls', () => {
  let over: AbortController
  /** The log is sorted by the start of the calls, the latest first. */
  const logged = [
    { call: 'b', at: 1_001_000, durationMs: 100, tool: 'add', caller: 'local', outcome: 'ok' },
    { call: 'a', at: 1_000_000, durationMs: 5_000, tool: 'add', caller: 'local', outcome: 'refused' },
  ]
  const lists: ((calls: readonly unknown[]) => void)[] = []
  const events = new TransformStream<string, string>()
  const writer = events.writable.getWriter()
  const tell = (kind: string, data: object) => writer.write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)

  async function answer(url: string): Promise<Response> {
    if (url.endsWith('/events')) return new Response(events.readable.pipeThrough(new TextEncoderStream()))
    if (!url.endsWith('/calls')) return Response.json({ calls: logged })
    return new Promise((resolve) => lists.push((calls) => resolve(Response.json({ calls }))))
  }

  beforeEach(() => {
    lists.length = 0
    over = new AbortController()
    vi.useFakeTimers()
    vi.stubGlobal('requestAnimationFrame', (then: () => void) => setTimeout(then))
    vi.stubGlobal('fetch', answer)
    vi.stubGlobal('navigator', {})
    session.value = 'open'
  })
  afterEach(() => {
    over.abort()
    session.value = 'none'
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('from the log count in the second in which they ended, although the log is sorted by their start', async () => {
    followCalls(over.signal)
    await vi.advanceTimersByTimeAsync(100)
    const bars = lastMinute.bars(1_005_000)
    expect([bars[55], bars[59]]).toEqual([
      { ok: 1, other: 0 },
      { ok: 0, other: 1 },
    ])
  })

  it('are loaded one list at a time, so that a call that ended meanwhile does not return', async () => {
    followCalls(over.signal)
    void listenToGateway(over.signal)
    await tell('call', { ...about, at: 1, what: 'begun', arguments: {} })
    await tell('call', { ...about, at: 2, what: 'ended', outcome: 'ok', ms: 1 })
    await tell('missed', {})
    await vi.advanceTimersByTimeAsync(2_000)
    expect(lists).toHaveLength(1)
    lists[0]?.([{ id: 1, tool: 'add', server: 'sums', caller: 'local', arguments: {}, startedAt: 1 }])
    await vi.advanceTimersByTimeAsync(900)
    expect(runningCalls.value).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(lists).toHaveLength(2)
  })
})
