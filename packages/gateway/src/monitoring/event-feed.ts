// Events of the gateway for watchers. The latest are kept, so that a watcher that reconnects misses nothing.
import { randomUUID } from 'node:crypto'
import type { JsonObject } from 'toolwire'

export type EventKind = 'call' | 'calls' | 'approval' | 'upstream' | 'pin' | 'policy' | 'config' | 'audit'

export type GatewayEvent = {
  /** Identifies the run of the gateway and the event's position in it. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly kind: EventKind
  readonly data: JsonObject
}

const mostKept = 1_000

export class EventFeed {
  readonly #run = randomUUID().slice(0, 8)
  readonly #most: number
  readonly #listeners = new Set<(event: GatewayEvent) => void>()
  #kept: GatewayEvent[] = []
  #last = 0

  constructor(most = mostKept) {
    this.#most = most
  }

  get watched(): boolean {
    return this.#listeners.size > 0
  }

  add(kind: EventKind, data: JsonObject): void {
    this.#last++
    const event = { id: this.last, at: Date.now(), kind, data }
    this.#kept.push(event)
    // Cut now and then, because shifting at each event would move all of them.
    if (this.#kept.length > 2 * this.#most) this.#kept = this.#kept.slice(-this.#most)
    for (const listener of this.#listeners) listener(event)
  }

  /** The id of the latest event. */
  get last(): string {
    return `${this.#run}-${this.#last}`
  }

  /** Returns the events after the one with this id, or undefined if they are no longer known. */
  after(id: string): readonly GatewayEvent[] | undefined {
    const { 1: run, 2: number } = /^([0-9a-f]{8})-(\d{1,15})$/.exec(id) ?? []
    if (run !== this.#run) return undefined
    const first = this.#last - this.#kept.length
    const from = Number(number) - first
    return from < 0 || from > this.#kept.length ? undefined : this.#kept.slice(from)
  }

  onEvent(listener: (event: GatewayEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
