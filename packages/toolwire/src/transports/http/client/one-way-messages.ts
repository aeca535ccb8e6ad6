import type { OutgoingMessage } from '../../../peer/client-transport.js'
import type { HttpConnection } from './http-connection.js'
import { ignoredBody } from './replies/response-body.js'
import { postOf } from './requests/http-request.js'
import { RetryingRequest } from './requests/retrying-request.js'

/** Enough for several messages per concurrent call. */
const mostWaiting = 1_024
/** In characters, which are nearly bytes. */
const longestTogether = 4 * 1024 * 1024
const patienceMs = 30_000

/** The path to post to, if not the target's own, and a callback for when all messages have been accepted. */
type OneWayOptions = { readonly path?: string; readonly allAccepted?: () => void }

/**
 * Sends notifications and responses, which have no answer, and keeps them until the server has accepted them. A server can cause them by
 * its requests, so their number and size are limited.
 */
export function oneWayMessages(connection: HttpConnection, { path, allAccepted }: OneWayOptions) {
  const waiting = new Map<RetryingRequest, ReturnType<typeof setTimeout>>()
  /** Length of all waiting messages together. */
  let together = 0
  let isDropping = false

  function over(request: RetryingRequest, length: number): void {
    clearTimeout(waiting.get(request))
    if (!waiting.delete(request)) return
    together -= length
    if (waiting.size > 0) return
    isDropping = false
    allAccepted?.()
  }

  function begin(message: OutgoingMessage, length: number): void {
    const lose = (why: string): void => {
      connection.listener.warn(`A message was not delivered: ${why}`)
      over(request, length)
    }
    const request: RetryingRequest = new RetryingRequest(connection, postOf(connection, message, path), {
      answered() {
        // The response body is ignored, even if it is a stream.
        request.settle()
        over(request, length)
        return ignoredBody
      },
      failed: (why) => lose(why.message),
    })
    const timer = setTimeout(() => {
      request.stop()
      lose(`the server has not accepted it for ${patienceMs / 1_000} seconds`)
    }, patienceMs)
    // The timer does not keep the process alive.
    if (typeof timer === 'object') timer.unref()
    waiting.set(request, timer)
    together += length
    request.begin()
  }

  /** Warns once, until the server has caught up. */
  function drop(): void {
    if (isDropping) return
    isDropping = true
    connection.listener.warn('The server does not accept responses and notifications; further messages are dropped until it does')
  }

  return {
    isEmpty: () => waiting.size === 0,
    send(message: OutgoingMessage): void {
      const { length } = message.text
      // A message may have any length if no other is waiting.
      const hasRoom = waiting.size === 0 || (waiting.size < mostWaiting && together + length <= longestTogether)
      if (hasRoom) begin(message, length)
      else drop()
    },
  }
}
