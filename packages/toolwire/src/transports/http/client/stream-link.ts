import type { Single } from '../../../jsonrpc/parse.js'
import type { Link, LinkError, Outgoing } from '../../../peer/link.js'
import { Unread } from './body.js'
import { type Door, deaf } from './door.js'
import { Errand } from './errand.js'
import type { Recipient } from './recipient.js'

/**
 * HTTP+SSE, the first edition: messages are posted to an address that the server named, and all it says comes on one stream.
 * spec 2024-11-05, basic/transports#http-with-sse
 */
export class StreamLink implements Link, Recipient {
  readonly shape = 'pipe'
  readonly #door: Door
  readonly #path: string
  readonly #waiting = new Map<number, Errand>()
  #closing: Promise<void> | undefined
  readonly done = false

  constructor(door: Door, path: string) {
    this.#door = door
    this.#path = path
  }

  send(message: Outgoing): void {
    const { text, id, method, revision } = message
    if (this.#closing) return
    const task = {
      httpMethod: 'POST',
      headers: this.#door.headings.posts(revision),
      hasSession: false,
      path: this.#path,
      text,
      id,
      method,
    } as const
    const errand = new Errand(this.#door, task, {
      answered: () => new Unread(() => errand.stop()),
      failed: (why) => this.#lose(message, why),
    })
    if (id !== undefined) this.#waiting.set(id, errand)
    errand.begin()
  }

  drop(id: number): void {
    this.#waiting.get(id)?.stop()
    this.#waiting.delete(id)
  }

  /** The server can speak from the beginning. */
  settled(): undefined {}

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  take(message: Single): void {
    const { listener } = this.#door
    if (message.kind === 'response') this.#answered(message.response.id)
    if (message.kind === 'invalid') listener.warn(`The server sent what is no message: ${message.error.message}`)
    else listener.hear(message)
  }

  /** The stream is gone, and with it every answer. */
  end(why: LinkError): void {
    const { listener } = this.#door
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const [id, errand] of waiting) {
      errand.stop()
      listener.lost(id, why)
    }
    listener.ended(why)
    void this.close()
  }

  #answered(id: unknown): void {
    if (typeof id === 'number') this.#waiting.delete(id)
  }

  #lose({ id, method }: Outgoing, why: LinkError): void {
    const { listener } = this.#door
    if (id === undefined) listener.warn(`${method ?? 'A response'} was not delivered: ${why.message}`)
    else if (this.#waiting.delete(id)) listener.lost(id, why)
  }

  async #close(): Promise<void> {
    this.#door.listener = deaf
    for (const errand of this.#waiting.values()) errand.stop()
    this.#waiting.clear()
    await this.#door.carrier.close()
  }
}
