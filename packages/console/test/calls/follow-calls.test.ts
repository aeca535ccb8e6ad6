import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenToGateway } from '../../src/api/event-feed.js'
import { session } from '../../src/api/session.js'
import { followCalls, runningCalls } from '../../src/calls/follow-calls.js'

const about = { call: 1, tool: 'add', server: 'sums', caller: 'local' }

describe('the running calls', () => {
  const over = new AbortController()
  const lists: ((calls: readonly unknown[]) => void)[] = []
  const events = new TransformStream<string, string>()
  const writer = events.writable.getWriter()
  const tell = (kind: string, data: object) => writer.write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)

  async function answer(url: string): Promise<Response> {
    if (url.endsWith('/events')) return new Response(events.readable.pipeThrough(new TextEncoderStream()))
    if (!url.endsWith('/calls')) return Response.json({ calls: [] })
    return new Promise((resolve) => lists.push((calls) => resolve(Response.json({ calls }))))
  }

  beforeEach(() => {
    vi.useFakeTimers()
    vi.stubGlobal('requestAnimationFrame', (then: () => void) => setTimeout(then))
    vi.stubGlobal('fetch', answer)
    session.value = 'open'
  })
  afterEach(() => {
    over.abort()
    session.value = 'none'
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('are loaded one list at a time, so that a call that ended meanwhile does not come back', async () => {
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
