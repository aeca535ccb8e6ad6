import { readMessage } from '../../../../jsonrpc/read-message.js'
import { TransportError } from '../../../../peer/client-transport.js'
import { deliverMessages, type MessageReceiver, type ReplyForm } from './message-receiver.js'
import { BodyBuffer, type ResponseBody } from './response-body.js'

/** An answer that is one JSON text. */
export class JsonReply implements ResponseBody {
  readonly #recipient: MessageReceiver
  readonly #form: ReplyForm
  readonly #gathered: BodyBuffer

  constructor(recipient: MessageReceiver, form: ReplyForm) {
    this.#recipient = recipient
    this.#form = form
    this.#gathered = new BodyBuffer(form.limit)
  }

  push(chunk: Uint8Array): void {
    if (!this.#gathered.add(chunk)) throw new TransportError('too-large', 'The answer is longer than we take', { sent: true })
  }

  end(): void {
    deliverMessages(readMessage(this.#gathered.take()), this.#recipient, this.#form)
    if (!this.#recipient.done) throw new TransportError('garbage', 'What came is no answer to the request', { sent: true })
  }
}
