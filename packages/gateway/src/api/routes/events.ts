import type { EventFeed, GatewayEvent } from '../../monitoring/event-feed.js'
import { EventQueue } from '../event-queue.js'
import { type Route, type RouteRequest, route } from '../route.js'
import { serverSentEvent } from '../server-sent-event.js'

export const eventRoutes: readonly Route[] = [
  route(
    'GET /events',
    'Calls, approvals, upstreams, pins, the policy and the config, as server-sent events. The first event is `open`. `Last-Event-ID` resumes after that event; `missed` means that some were lost. Above 200 call events a second, `calls` reports counts, and `over` lists ended calls.',
    {
      type: 'text/event-stream',
      handle: (ask) => ({ type: 'text/event-stream', pieces: watchEvents(ask) }),
    },
  ),
]

const missed = serverSentEvent({ event: 'missed', data: {} })

async function* watchEvents({ control: { events }, lastEventId, signal }: RouteRequest): AsyncGenerator<string> {
  const mailbox = new EventQueue<GatewayEvent>()
  const stop = events.onEvent((event) => mailbox.put(event))
  const end = () => mailbox.close()
  signal.addEventListener('abort', end)
  try {
    yield opening(events, lastEventId)
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

/** A new watcher gets the id of the latest event, so that it can load the current state and miss nothing after it. */
function opening(events: EventFeed, lastEventId: string | undefined): string {
  if (lastEventId === undefined) return serverSentEvent({ id: events.last, event: 'open', data: {} })
  const before = events.after(lastEventId)
  return before ? before.map(textOf).join('') : missed
}

const textOf = ({ id, kind, at, data }: GatewayEvent): string => serverSentEvent({ id, event: kind, data: { at, ...data } })
