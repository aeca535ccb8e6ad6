import { readMessage } from '../../../jsonrpc/parse.js'
import { LinkError } from '../../../peer/link.js'
import { type Body, Gathered } from './body.js'
import { handOver, type Recipient, type ReplyForm } from './recipient.js'

/** An answer that is one JSON text. */
export class JsonReply implements Body {
  readonly #recipient: Recipient
  readonly #form: ReplyForm
  readonly #gathered: Gathered

  constructor(recipient: Recipient, form: ReplyForm) {
    this.#recipient = recipient
    this.#form = form
    this.#gathered = new Gathered(form.limit)
  }

  push(chunk: Uint8Array): void {
    if (!this.#gathered.add(chunk)) throw new LinkError('too-large', 'The answer is longer than we take', { sent: true })
  }

  end(): void {
    handOver(readMessage(this.#gathered.take()), this.#recipient, this.#form)
    if (!this.#recipient.done) throw new LinkError('garbage', 'What came is no answer to the request', { sent: true })
  }
}
