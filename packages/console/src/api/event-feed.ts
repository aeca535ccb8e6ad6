// What happens at the gateway, read once for the whole page. After a break it goes on where it stopped.
import { signal } from '@preact/signals'
import { readEvents, type StreamEvent } from './read-events.js'
import { session } from './session.js'
import type { EventData, EventKind } from './types.js'

export const connection = signal<'opening' | 'open' | 'lost'>('opening')

type Listener = (data: never) => void
const listeners = new Map<string, Set<Listener>>()

/** Calls back with each event of some kinds, until the signal aborts. */
export function onGatewayEvents<K extends EventKind>(
  kinds: readonly K[],
  listener: (data: EventData[K]) => void,
  ended: AbortSignal,
): void {
  for (const kind of kinds) {
    const all = listeners.get(kind) ?? new Set()
    listeners.set(kind, all.add(listener))
    ended.addEventListener('abort', () => all.delete(listener))
  }
}

function tell({ kind, data }: StreamEvent): void {
  for (const listener of listeners.get(kind) ?? []) listener(data as never) // the kind says what it is
}

const firstPauseMs = 500
const longestPauseMs = 8_000
/** The gateway gives a sign of life every 15 seconds. */
const silenceMs = 40_000

/** Listens while there is a session, until the signal aborts. The gateway says itself when something was missed. */
export async function listenToGateway(signal: AbortSignal): Promise<void> {
  const last: Last = { id: undefined }
  for (let pause = firstPauseMs; !signal.aborted && session.value === 'open'; pause = Math.min(2 * pause, longestPauseMs)) {
    if (await listenOnce(last, signal)) pause = firstPauseMs
    if (signal.aborted || session.value !== 'open') return
    connection.value = 'lost'
    await paused(pause * (0.5 + Math.random() / 2), signal)
  }
}

/** The last event that was heard. */
type Last = { id: string | undefined }

/** True when the stream was open for a while. */
async function listenOnce(last: Last, signal: AbortSignal): Promise<boolean> {
  const lastEventId = last.id
  const silent = new AbortController()
  let opened = false
  let timer = setTimeout(() => silent.abort(), silenceMs)
  const onAlive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(), silenceMs)
    if (opened) return
    opened = true
    const wasLost = connection.value === 'lost'
    connection.value = 'open'
    // Without an event to go on from, the gateway cannot tell whether there were others.
    if (wasLost && lastEventId === undefined) tell({ id: undefined, kind: 'missed', data: {} })
  }
  const onEvent = (event: StreamEvent) => {
    last.id = event.id ?? last.id
    tell(event)
  }
  try {
    await readEvents('/events', { lastEventId, signal: AbortSignal.any([signal, silent.signal]), onEvent, onAlive })
  } catch {
    // It is opened again, and the page says meanwhile that the connection is lost.
  } finally {
    clearTimeout(timer)
  }
  return opened
}

/** Shorter when the machine is online again, or somebody looks at the page. */
function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const end = () => {
      over.abort()
      resolve()
    }
    const timer = setTimeout(end, ms)
    over.signal.addEventListener('abort', () => clearTimeout(timer))
    signal.addEventListener('abort', end, { signal: over.signal })
    addEventListener('online', end, { signal: over.signal })
    document.addEventListener('visibilitychange', end, { signal: over.signal })
  })
}
