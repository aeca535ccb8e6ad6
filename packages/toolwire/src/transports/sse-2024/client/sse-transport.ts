import type { Response } from '../../../jsonrpc/message.js'
import type { InvalidMessage, SingleMessage } from '../../../jsonrpc/read-message.js'
import {
  type ClientTransport,
  isOwnId,
  type OutgoingMessage,
  type TransportError,
  unusableAnswer,
} from '../../../peer/client-transport.js'
import { type HttpConnection, noopListener } from '../../http/client/http-connection.js'
import { OneWayMessages } from '../../http/client/one-way-messages.js'
import type { MessageReceiver } from '../../http/client/replies/message-receiver.js'
import { ignoredBody } from '../../http/client/replies/response-body.js'
import { type AnsweredMessage, isAnsweredMessage, postOf } from '../../http/client/requests/http-request.js'
import { RetryingRequest } from '../../http/client/requests/retrying-request.js'

/**
 * HTTP+SSE, the first edition: messages are posted to an address that the server named, and all it says comes on one stream.
 * spec 2024-11-05, basic/transports#http-with-sse
 */
export class SseTransport implements ClientTransport, MessageReceiver {
  readonly shape = 'pipe'
  readonly #httpConnection: HttpConnection
  readonly #path: string
  readonly #notices: OneWayMessages
  readonly #waiting = new Map<number, RetryingRequest>()
  #closing: Promise<void> | undefined
  readonly done = false

  constructor(httpConnection: HttpConnection, path: string) {
    this.#httpConnection = httpConnection
    this.#path = path
    this.#notices = new OneWayMessages(httpConnection, { path })
  }

  send(message: OutgoingMessage): void {
    if (this.#closing) return
    if (isAnsweredMessage(message)) this.#ask(message)
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

  take(message: SingleMessage): void {
    const { listener } = this.#httpConnection
    if (message.kind === 'response') this.#answered(message.response.id)
    if (message.kind === 'invalid') this.#passOver(message)
    else listener.hear(message)
  }

  #passOver({ about, id, error }: InvalidMessage): void {
    const { listener } = this.#httpConnection
    listener.warn(`The server sent what is no message: ${error.message}`)
    // No better answer to this request will come.
    if (about !== 'response' || !isOwnId(id) || !this.#waiting.has(id)) return
    this.#answered(id)
    listener.lost(id, unusableAnswer(error.message))
  }

  /** The stream is gone, and with it every answer. */
  end(why: TransportError): void {
    const { listener } = this.#httpConnection
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const [id, retryingRequest] of waiting) {
      retryingRequest.stop()
      listener.lost(id, why)
    }
    listener.ended(why)
    void this.close()
  }

  #ask(message: AnsweredMessage): void {
    const { id } = message
    const task = postOf(this.#httpConnection, message, this.#path)
    const retryingRequest: RetryingRequest = new RetryingRequest(this.#httpConnection, task, {
      // The answer will come on the stream.
      answered: () => {
        retryingRequest.settle()
        return ignoredBody
      },
      failed: (why) => this.#lose(id, why),
    })
    this.#waiting.set(id, retryingRequest)
    retryingRequest.begin()
  }

  #answered(id: Response['id']): void {
    if (!isOwnId(id)) return
    this.#waiting.get(id)?.settle()
    this.#waiting.delete(id)
  }

  #lose(id: number, why: TransportError): void {
    if (this.#waiting.delete(id)) this.#httpConnection.listener.lost(id, why)
  }

  async #close(): Promise<void> {
    this.#httpConnection.listener = noopListener
    for (const retryingRequest of this.#waiting.values()) retryingRequest.stop()
    this.#waiting.clear()
    await this.#httpConnection.client.close()
  }
}
