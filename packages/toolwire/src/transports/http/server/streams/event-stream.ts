import { encodeComment, encodeEvent, type OutgoingEvent } from '../../../../jsonrpc/events.js'
import type { HttpExchange, HttpHeaders } from '../http-exchange.js'
import type { HttpLimits } from '../options.js'
import type { ReplicaRoutes } from '../replicas.js'
import type { EventStore } from '../sessions/event-store.js'
import type { SessionStore } from '../sessions/session-store.js'

// A proxy that gathers the answer before it passes it on would hold events back.
// spec 2026-07-28, basic/transports/streamable-http#receiving-messages
const headers: HttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export type StreamRules = {
  readonly watch: ReturnType<typeof streamTimer>
  readonly limits: HttpLimits
  readonly events: EventStore
  /** What replicas share of sessions, where they do. */
  readonly sessions: SessionStore | undefined
  /** The name of this replica, and the ways to the others, where there are any. */
  readonly replica: string | undefined
  readonly replicas: ReplicaRoutes | undefined
}
type StreamStart = { readonly first?: OutgoingEvent; readonly expiresAt?: number | undefined }

const keepAlive = encodeComment()

export type EventStream = ReturnType<typeof eventStream>

/** Server-sent events to one client, who is cut off when it does not read them and ended when its credentials expire. */
export function eventStream(exchange: HttpExchange, { watch, limits }: StreamRules, { first, expiresAt }: StreamStart = {}) {
  const sink = exchange.stream(headers, first ? encodeEvent(first) : '')
  let sentAt = Date.now()
  /** When it was first seen that the client takes nothing, and how much was waiting for it then. */
  let stalledAt = 0
  let waiting = 0
  let written = 0

  function write(text: string): void {
    if (sink.queued > limits.queuedBytes) {
      sink.destroy()
    } else {
      sink.write(text)
      written += text.length
    }
  }

  /** Nothing has been taken since the last look, and for too long. */
  function isStalled(now: number): boolean {
    const hasMoved = sink.queued === 0 || sink.queued < waiting + written
    waiting = sink.queued
    written = 0
    if (hasMoved) stalledAt = 0
    else if (stalledAt === 0) stalledAt = now
    return stalledAt > 0 && now - stalledAt >= limits.stallMs
  }

  const watched = {
    tick(now: number): void {
      if (expiresAt !== undefined && now >= expiresAt) end()
      else {
        if (written > 0) sentAt = now
        if (isStalled(now)) sink.destroy()
        else if (now - sentAt >= limits.keepAliveMs) write(keepAlive)
      }
    },
  }
  sink.onClose(() => watch.delete(watched))
  if (sink.open) watch.add(watched)

  const sendEvent = (event: OutgoingEvent): void => write(encodeEvent(event))
  const end = (): void => {
    watch.delete(watched)
    sink.end()
  }
  return {
    isOpen: () => sink.open,
    onClose: (listener: () => void): void => sink.onClose(listener),
    /** Sends a message without an id: JSON has no line ends, so nothing needs to be looked at. */
    send: (message: string): void => write(`data: ${message}\n\n`),
    sendEvent,
    end,
    /** Ends it; the client is to come back after `retryMs`. */
    hangUp(retryMs: number): void {
      sendEvent({ retry: retryMs })
      end()
    },
  }
}

/** Something to be looked after from time to time. */
type TimedStream = { tick(now: number): void }

/** One timer for all streams; it runs only while there are any, and keeps no process alive. */
export function streamTimer(everyMs: number) {
  const watched = new Set<TimedStream>()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    const now = Date.now()
    for (const stream of watched) stream.tick(now)
  }
  return {
    add(stream: TimedStream): void {
      watched.add(stream)
      if (timer !== undefined) return
      timer = setInterval(tick, everyMs)
      // On runtimes where timers are plain numbers there is nothing to let go of.
      if (typeof timer === 'object') timer.unref()
    },
    delete(stream: TimedStream): void {
      watched.delete(stream)
      if (watched.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }
}
