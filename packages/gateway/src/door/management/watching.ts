import type { GatewayEvent } from '../events.js'
import { eventText } from './event-text.js'
import type { Ask, Route } from './route.js'

const mostWaiting = 10_000

/** What happens, as it happens. */
export const watchingRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/events',
    summary:
      'Calls, approvals, upstreams, pins, the policy and the config, as server-sent events. With `Last-Event-ID` it goes on after that one; an event `missed` says that not everything since then is known any more',
    type: 'text/event-stream',
    handle: (ask) => ({ type: 'text/event-stream', pieces: watching(ask) }),
  },
]

async function* watching({ control: { events }, lastEventId, signal }: Ask): AsyncGenerator<string> {
  const waiting: GatewayEvent[] = []
  let wake: (() => void) | undefined
  const stop = events.onEvent((event) => {
    if (waiting.length < mostWaiting) waiting.push(event)
    wake?.()
  })
  const end = () => wake?.()
  signal.addEventListener('abort', end)
  try {
    const before = lastEventId === undefined ? [] : events.after(lastEventId)
    if (before) yield before.map(textOf).join('')
    else yield eventText({ event: 'missed', data: {} })
    while (!signal.aborted) {
      if (waiting.length > 0) yield waiting.splice(0).map(textOf).join('')
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    stop()
    signal.removeEventListener('abort', end)
  }
}

const textOf = ({ id, kind, at, data }: GatewayEvent): string => eventText({ id, event: kind, data: { at, ...data } })
