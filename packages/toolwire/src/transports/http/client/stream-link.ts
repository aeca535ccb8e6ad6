import type { Response } from '../../../jsonrpc/message.js'
import type { Invalid, Single } from '../../../jsonrpc/parse.js'
import { isOurs, type Link, type LinkError, type Outgoing, unusableAnswer } from '../../../peer/link.js'
import { type Asking, isAsking } from './asking.js'
import { ignored } from './body.js'
import { type Door, deaf } from './door.js'
import { Errand } from './errand.js'
import { laneOf } from './lane.js'
import { Notices } from './notices.js'
import type { Recipient } from './recipient.js'

/**
 * HTTP+SSE, the first edition: messages are posted to an address that the server named, and all it says comes on one stream.
 * spec 2024-11-05, basic/transports#http-with-sse
 */
export class StreamLink implements Link, Recipient {
  readonly shape = 'pipe'
  readonly #door: Door
  readonly #path: string
  readonly #notices: Notices
  readonly #waiting = new Map<number, Errand>()
  #closing: Promise<void> | undefined
  readonly done = false

  constructor(door: Door, path: string) {
    this.#door = door
    this.#path = path
    this.#notices = new Notices(door, { path })
  }

  send(message: Outgoing): void {
    if (this.#closing) return
    if (isAsking(message)) this.#ask(message)
    else this.#notices.send(message)
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
    if (message.kind === 'invalid') this.#passOver(message)
    else listener.hear(message)
  }

  #passOver({ about, id, error }: Invalid): void {
    const { listener } = this.#door
    listener.warn(`The server sent what is no message: ${error.message}`)
    // Nothing better will come to whoever waits for this one.
    if (about !== 'response' || !isOurs(id) || !this.#waiting.has(id)) return
    this.#answered(id)
    listener.lost(id, unusableAnswer(error.message))
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

  #ask(message: Asking): void {
    const { text, id, method, revision } = message
    const headers = this.#door.headings.posts(revision)
    const task = {
      lane: laneOf(message),
      httpMethod: 'POST',
      headers,
      hasSession: false,
      path: this.#path,
      text,
      id,
      method,
    } as const
    const errand: Errand = new Errand(this.#door, task, {
      // The answer will come on the stream.
      answered: () => {
        errand.settle()
        return ignored
      },
      failed: (why) => this.#lose(id, why),
    })
    this.#waiting.set(id, errand)
    errand.begin()
  }

  #answered(id: Response['id']): void {
    if (!isOurs(id)) return
    this.#waiting.get(id)?.settle()
    this.#waiting.delete(id)
  }

  #lose(id: number, why: LinkError): void {
    if (this.#waiting.delete(id)) this.#door.listener.lost(id, why)
  }

  async #close(): Promise<void> {
    this.#door.listener = deaf
    for (const errand of this.#waiting.values()) errand.stop()
    this.#waiting.clear()
    await this.#door.carrier.close()
  }
}
