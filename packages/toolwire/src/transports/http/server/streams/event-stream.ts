import { longestTimer } from '../../../../bounds/longest-timer.js'
import { encodeComment, encodeEvent, type OutgoingEvent } from '../../../../jsonrpc/events.js'
import type { HttpExchange, HttpHeaders } from '../http-exchange.js'
import type { HttpLimits } from '../options.js'
import type { ReplicaRoutes } from '../replicas.js'
import type { EventStore } from '../sessions/event-store.js'
import type { SessionStore } from '../sessions/session-store.js'
import { stallCheck } from './stall-check.js'

// A proxy that buffers the response would delay events. spec 2026-07-28, basic/transports/streamable-http#receiving-messages
const headers: HttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export type StreamRules = {
  readonly watch: ReturnType<typeof streamTimer>
  readonly limits: HttpLimits
  readonly events: EventStore
  /** The state of sessions that replicas share, if they do. */
  readonly sessions: SessionStore | undefined
  /** The name of this replica, and the routes to the others, if there are any. */
  readonly replica: string | undefined
  readonly replicas: ReplicaRoutes | undefined
}
type StreamStart = { readonly first?: OutgoingEvent; readonly expiresAt?: number | undefined }

const keepAlive = encodeComment()

export type EventStream = ReturnType<typeof eventStream>

/** Server-sent events to one client. The stream is cut if the client does not read it, and ends when the credentials expire. */
export function eventStream(exchange: HttpExchange, { watch, limits }: StreamRules, { first, expiresAt }: StreamStart = {}) {
  const sink = exchange.stream(headers, first ? encodeEvent(first) : '')
  const reading = stallCheck(sink, limits.stallMs)
  let sentAt = performance.now()

  function write(text: string): void {
    if (sink.queued > limits.queuedBytes) sink.destroy()
    else reading.write(text)
  }

  const watched = {
    tick(now: number): void {
      if (expiresAt !== undefined && Date.now() >= expiresAt) end()
      else {
        if (reading.hasWritten) sentAt = now
        if (reading.isStalled(now)) sink.destroy()
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
    /** Sends a message without an id. JSON text has no line ends, so it needs no encoding. */
    send: (message: string): void => write(`data: ${message}\n\n`),
    sendEvent,
    end,
    /** Ends the stream; the client should reconnect after `retryMs`. */
    hangUp(retryMs: number): void {
      sendEvent({ retry: retryMs })
      end()
    },
  }
}

type TimedStream = { tick(now: number): void }

/** One timer for all streams; it runs only while there are any, and does not keep the process alive. */
export function streamTimer(everyMs: number) {
  const watched = new Set<TimedStream>()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    const now = performance.now()
    for (const stream of watched) stream.tick(now)
  }
  return {
    add(stream: TimedStream): void {
      watched.add(stream)
      if (timer !== undefined) return
      timer = setInterval(tick, Math.min(everyMs, longestTimer))
      // On some runtimes timers are plain numbers, without `unref`.
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
