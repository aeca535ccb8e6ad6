// The gateway's event stream, read once for the whole page. After a lost connection it resumes where it stopped.
import { signal } from '@preact/signals'
import { withStream } from './hidden-stream.js'
import { readEvents, type StreamEvent } from './read-events.js'
import { session } from './session.js'
import type { EventData, EventKind } from './types.js'

/** `shared`: another hidden tab has the stream, and this tab hears of nothing. */
export const connection = signal<'opening' | 'open' | 'shared' | 'lost'>('opening')

type Listener = (data: never) => void
const listeners = new Map<string, Set<Listener>>()

/** Calls back with each event of these kinds until the signal aborts. */
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
  for (const listener of listeners.get(kind) ?? []) listener(data as never) // the kind determines the type
}

const firstPauseMs = 500
const longestPauseMs = 8_000
/** The gateway sends a sign of life every 15 seconds. */
const silenceMs = 40_000

/** Reads events while there is a session and this tab may have a stream, until the signal aborts. The gateway reports missed events itself. */
export async function listenToGateway(signal: AbortSignal): Promise<void> {
  const last: Last = { id: undefined, wasOpen: false }
  for (let pause = firstPauseMs; !signal.aborted && session.value === 'open'; pause = Math.min(2 * pause, longestPauseMs)) {
    let isShared = false
    const listen = async (turn: AbortSignal) => {
      const opened = await listenOnce(last, turn)
      isShared = turn.aborted
      return opened
    }
    if (await withStream(listen, signal)) pause = firstPauseMs
    if (signal.aborted || session.value !== 'open') return
    if (isShared) {
      if (connection.value === 'open') connection.value = 'shared'
      continue
    }
    connection.value = 'lost'
    await paused(pause * (0.5 + Math.random() / 2), signal)
  }
}

/** Id of the last event received; `wasOpen` if there was a stream before. */
type Last = { id: string | undefined; wasOpen: boolean }

/** Returns true if the stream was opened. */
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
    const isAgain = connection.value === 'lost' || last.wasOpen
    connection.value = 'open'
    last.wasOpen = true
    // Without a last event id, the gateway cannot tell if events were missed.
    if (isAgain && lastEventId === undefined) tell({ id: undefined, kind: 'missed', data: {} })
  }
  const onEvent = (event: StreamEvent) => {
    last.id = event.id ?? last.id
    tell(event)
  }
  try {
    await readEvents('/events', { lastEventId, signal: AbortSignal.any([signal, silent.signal]), onEvent, onAlive })
  } catch {
    // The stream is opened again. The page shows meanwhile that the connection is lost.
  } finally {
    clearTimeout(timer)
  }
  return opened
}

/** Pauses before a retry; a network that is back or a change of visibility ends the pause early. */
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
