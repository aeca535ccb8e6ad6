// Events of calls, with a fake clock.
import type { ToolCall } from 'toolwire/guard'
import { describe, expect, it, vi } from 'vitest'
import { CallEvents } from '../../src/monitoring/calls/call-events.js'
import { RunningCalls } from '../../src/monitoring/calls/running-calls.js'
import { EventFeed, type GatewayEvent } from '../../src/monitoring/event-feed.js'

const call = () => ({ tool: { name: 'read' }, server: 'notes', caller: { id: 'eve' }, arguments: {}, context: {} })

function newFeed() {
  const events = new EventFeed()
  const received: GatewayEvent[] = []
  events.onEvent((event) => received.push(event))
  const shown = vi.fn(() => ({ arguments: {} }))
  const news = new CallEvents({ events, shown })
  const flights = new RunningCalls()
  // The members of a call that events contain.
  const begin = (now: number) => {
    const flight = flights.begin(call() as unknown as ToolCall, now)
    news.begun(flight, now)
    return flight
  }
  const end = (flight: ReturnType<typeof begin>, now: number) => news.ended(flight, { outcome: 'ok' }, now)
  const ofKind = (kind: string) => received.filter((event) => event.kind === kind).map(({ data }) => data)
  return { news, shown, begin, end, ofKind }
}

describe('a thousand calls a second', () => {
  it('are reported one by one up to two hundred events, and as counts from then on until it is quiet for a second', () => {
    vi.useFakeTimers()
    try {
      const { begin, end, ofKind, shown } = newFeed()
      for (let n = 0; n < 5_000; n++) end(begin(10_000 + n), 10_000 + n)
      vi.advanceTimersByTime(1_000)
      expect(ofKind('call')).toHaveLength(200)
      expect(shown).toHaveBeenCalledTimes(100)
      expect(ofKind('calls')).toEqual([{ begun: 4_900, ended: { ok: 4_900 }, over: [] }])
      const late = begin(15_000)
      expect(ofKind('call')).toHaveLength(200)
      end(late, 16_000)
      const quiet = begin(17_500)
      expect(ofKind('call').at(-1)).toMatchObject({ what: 'begun', call: quiet.id })
    } finally {
      vi.useRealTimers()
    }
  })

  it('include the ends of calls whose start was reported', () => {
    vi.useFakeTimers()
    try {
      const { begin, end, ofKind } = newFeed()
      const long = Array.from({ length: 3 }, () => begin(0))
      for (let n = 0; n < 500; n++) end(begin(1), 1)
      for (const flight of long) end(flight, 2)
      vi.advanceTimersByTime(1_000)
      expect(ofKind('calls')[0]?.over).toEqual(expect.arrayContaining(long.map(({ id }) => id)))
    } finally {
      vi.useRealTimers()
    }
  })
})
