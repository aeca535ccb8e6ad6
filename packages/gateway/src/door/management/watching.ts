import type { GatewayEvent } from '../events.js'
import { eventText } from './event-text.js'
import { Mailbox } from './mailbox.js'
import type { Ask, Route } from './route.js'

/** What happens, as it happens. */
export const watchingRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/events',
    summary:
      'Calls, approvals, upstreams, pins, the policy and the config, as server-sent events. With `Last-Event-ID` it goes on after that one; an event `missed` says that not everything since then is known any more. Where there are more than 200 events of calls in a second, `calls` tells how many began and ended instead, and in `over` which of those that were told of have ended',
    type: 'text/event-stream',
    handle: (ask) => ({ type: 'text/event-stream', pieces: watching(ask) }),
  },
]

const missed = eventText({ event: 'missed', data: {} })

async function* watching({ control: { events }, lastEventId, signal }: Ask): AsyncGenerator<string> {
  const mailbox = new Mailbox<GatewayEvent>()
  const stop = events.onEvent((event) => mailbox.put(event))
  const end = () => mailbox.close()
  signal.addEventListener('abort', end)
  try {
    const before = lastEventId === undefined ? [] : events.after(lastEventId)
    yield before ? before.map(textOf).join('') : missed
    while (!signal.aborted) {
      const taken = await mailbox.take()
      yield `${taken.map(textOf).join('')}${mailbox.isOverfull ? missed : ''}`
      mailbox.isOverfull = false
    }
  } finally {
    stop()
    signal.removeEventListener('abort', end)
  }
}

const textOf = ({ id, kind, at, data }: GatewayEvent): string => eventText({ id, event: kind, data: { at, ...data } })
