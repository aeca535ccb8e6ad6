import { encodeComment, encodeEvent, type OutgoingEvent } from '../../../../jsonrpc/events.js'
import type { HttpExchange, HttpHeaders, Sink } from '../http-exchange.js'
import type { HttpLimits } from '../options.js'
import type { EventStore } from '../sessions/event-store.js'
import type { StreamTimer, TimedStream } from './stream-timer.js'

// A proxy that gathers the answer before it passes it on would hold events back.
// spec 2026-07-28, basic/transports/streamable-http#receiving-messages
const headers: HttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export type StreamRules = { readonly watch: StreamTimer; readonly limits: HttpLimits; readonly events: EventStore }
type StreamStart = {
  readonly first?: OutgoingEvent
  readonly headers?: HttpHeaders
  readonly expiresAt?: number | undefined
}

const keepAlive = encodeComment()

/** Server-sent events to one client, who is cut off when it does not read them and ended when its credentials expire. */
export class EventStream implements TimedStream {
  readonly #sink: Sink
  readonly #rules: StreamRules
  readonly #expiresAt: number | undefined
  #sentAt = Date.now()
  /** When it was first seen that the client takes nothing, and how much was waiting for it then. */
  #stalledAt = 0
  #waiting = 0
  #written = 0

  constructor(exchange: HttpExchange, rules: StreamRules, { first, headers: more, expiresAt }: StreamStart = {}) {
    this.#rules = rules
    this.#expiresAt = expiresAt
    this.#sink = exchange.stream(more ? { ...headers, ...more } : headers, first ? encodeEvent(first) : '')
    this.#sink.onClose(() => rules.watch.delete(this))
    if (this.#sink.open) rules.watch.add(this)
  }

  get open(): boolean {
    return this.#sink.open
  }

  onClose(listener: () => void): void {
    this.#sink.onClose(listener)
  }

  /** Sends a message without an id: JSON has no line ends, so nothing needs to be looked at. */
  send(message: string): void {
    this.#write(`data: ${message}\n\n`)
  }

  sendEvent(event: OutgoingEvent): void {
    this.#write(encodeEvent(event))
  }

  /** Ends it; the client is to come back after `retryMs`. */
  hangUp(retryMs: number): void {
    this.sendEvent({ retry: retryMs })
    this.end()
  }

  end(): void {
    this.#rules.watch.delete(this)
    this.#sink.end()
  }

  tick(now: number) {
    const { stallMs, keepAliveMs } = this.#rules.limits
    if (this.#expiresAt !== undefined && now >= this.#expiresAt) return this.end()
    if (this.#written > 0) this.#sentAt = now
    if (this.#isStalled(now, stallMs)) return this.#sink.destroy()
    if (now - this.#sentAt >= keepAliveMs) this.#write(keepAlive)
  }

  #write(text: string) {
    if (this.#sink.queued > this.#rules.limits.queuedBytes) return this.#sink.destroy()
    this.#sink.write(text)
    this.#written += text.length
  }

  /** Nothing has been taken since the last look, and for too long. */
  #isStalled(now: number, stallMs: number): boolean {
    const waiting = this.#sink.queued
    const moved = waiting === 0 || waiting < this.#waiting + this.#written
    this.#waiting = waiting
    this.#written = 0
    if (moved) this.#stalledAt = 0
    else if (this.#stalledAt === 0) this.#stalledAt = now
    return this.#stalledAt > 0 && now - this.#stalledAt >= stallMs
  }
}
