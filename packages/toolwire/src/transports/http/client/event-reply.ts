import { EventDecoder, EventError, type IncomingEvent } from '../../../jsonrpc/events.js'
import { readMessage } from '../../../jsonrpc/parse.js'
import { LinkError } from '../../../peer/link.js'
import type { Body } from './body.js'
import type { Bookmark } from './bookmark.js'
import { handOver, type Recipient, type ReplyForm } from './recipient.js'

/** An answer that is a stream of events, each of them a message. */
export class EventReply implements Body {
  readonly #recipient: Recipient
  readonly #bookmark: Bookmark
  readonly #form: ReplyForm
  readonly #events: EventReader

  constructor(recipient: Recipient, bookmark: Bookmark, form: ReplyForm) {
    this.#recipient = recipient
    this.#bookmark = bookmark
    this.#form = form
    this.#events = new EventReader(form.limit)
  }

  push(chunk: Uint8Array): void {
    const events = this.#events.read(chunk)
    this.#bookmark.reach(this.#events.lastId)
    const { retryMs } = this.#events
    if (retryMs !== undefined) this.#bookmark.askedToWait(retryMs)
    for (const event of events) {
      if (this.#recipient.done) return
      this.#take(event)
    }
  }

  end(): void {
    if (!this.#recipient.done) throw new LinkError('broken', 'The stream ended before the answer was there', { sent: true })
  }

  /** An event without data is there for its id alone. spec 2025-11-25, basic/transports#sending-messages-to-the-server */
  #take({ event, data }: IncomingEvent): void {
    if (event === 'message' && data !== '') handOver(readMessage(data), this.#recipient, this.#form)
  }
}

/** Events from bytes, with a transport's errors. */
export class EventReader {
  readonly #decoder: EventDecoder

  constructor(limit: number) {
    this.#decoder = new EventDecoder({ limit })
  }

  get lastId(): string {
    return this.#decoder.lastId
  }

  get retryMs(): number | undefined {
    return this.#decoder.retryMs
  }

  read(chunk: Uint8Array): IncomingEvent[] {
    try {
      return this.#decoder.push(chunk)
    } catch (thrown) {
      if (!(thrown instanceof EventError)) throw thrown
      const code = thrown.code === 'too-large' ? 'too-large' : 'garbage'
      throw new LinkError(code, `The stream cannot be read: ${thrown.message}`, { sent: true })
    }
  }
}
