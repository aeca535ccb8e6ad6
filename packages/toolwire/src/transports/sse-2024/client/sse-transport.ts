import { type ClientTransport, isOwnId, type TransportError, unusableAnswer } from '../../../peer/client-transport.js'
import { type HttpConnection, noopListener } from '../../http/client/http-connection.js'
import { oneWayMessages } from '../../http/client/one-way-messages.js'
import type { MessageReceiver } from '../../http/client/replies/message-receiver.js'
import { ignoredBody } from '../../http/client/replies/response-body.js'
import { type AnsweredMessage, isAnsweredMessage, postOf } from '../../http/client/requests/http-request.js'
import { RetryingRequest } from '../../http/client/requests/retrying-request.js'

/** A transport that also receives the messages of its stream, and the end of the stream. */
export type SseTransport = ClientTransport & MessageReceiver & { end(why: TransportError): void }

/**
 * HTTP+SSE of revision 2024-11-05: messages are posted to an address that the server names, and all its messages come on one stream.
 * spec 2024-11-05, basic/transports#http-with-sse
 */
export function sseTransport(connection: HttpConnection, path: string): SseTransport {
  const notices = oneWayMessages(connection, { path })
  const waiting = new Map<number, RetryingRequest>()
  let closing: Promise<void> | undefined

  function ask(message: AnsweredMessage): void {
    const { id } = message
    const request: RetryingRequest = new RetryingRequest(connection, postOf(connection, message, path), {
      // The answer will come on the stream.
      answered() {
        request.settle()
        return ignoredBody
      },
      failed(why) {
        if (waiting.delete(id)) connection.listener.lost(id, why)
      },
    })
    waiting.set(id, request)
    request.begin()
  }

  /** Ends a pending request; false if none with that id is pending. */
  function settle(id: number): boolean {
    waiting.get(id)?.settle()
    return waiting.delete(id)
  }

  function close(): Promise<void> {
    if (closing) return closing
    connection.listener = noopListener
    for (const request of waiting.values()) request.stop()
    waiting.clear()
    closing = connection.client.close()
    return closing
  }

  return {
    shape: 'pipe',
    done: false,
    send(message) {
      if (closing) return
      if (isAnsweredMessage(message)) ask(message)
      else notices.send(message)
    },
    drop(id) {
      waiting.get(id)?.stop()
      waiting.delete(id)
    },
    /** Returns at once, because the server can send messages from the beginning. */
    settled: () => undefined,
    close,
    take(message) {
      const { listener } = connection
      if (message.kind === 'response' && isOwnId(message.response.id)) settle(message.response.id)
      if (message.kind !== 'invalid') return listener.hear(message)
      const { about, id, error } = message
      listener.warn(`The server sent an invalid message: ${error.message}`)
      // This request will get no better answer.
      if (about === 'response' && isOwnId(id) && settle(id)) listener.lost(id, unusableAnswer(error.message))
    },
    /** Ends the transport, because without the stream no answer can come. */
    end(why) {
      const { listener } = connection
      const lost = [...waiting]
      waiting.clear()
      for (const [id, request] of lost) {
        request.stop()
        listener.lost(id, why)
      }
      listener.ended(why)
      void close()
    },
  }
}
