import type { OutgoingMessage } from '../../../peer/client-transport.js'
import type { HttpConnection } from './http-connection.js'
import { ignoredBody } from './replies/response-body.js'
import { postOf } from './requests/http-request.js'
import { RetryingRequest } from './requests/retrying-request.js'

/** Enough for several to each call that can be under way. */
const mostWaiting = 1_024
/** In characters, which are nearly bytes. */
const longestTogether = 4 * 1024 * 1024
const patienceMs = 30_000

/** Where they are posted, if not at the target's own path, and who hears that all have been accepted. */
type OneWayOptions = { readonly path?: string; readonly allAccepted?: () => void }

/**
 * Notifications and responses, which have no answer, until the server has accepted them. A server can make us send them by asking,
 * so it must not be able to make us keep them.
 */
export function oneWayMessages(connection: HttpConnection, { path, allAccepted }: OneWayOptions) {
  const waiting = new Map<RetryingRequest, ReturnType<typeof setTimeout>>()
  /** Of all that wait. */
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
        // What comes back for it is of no interest, least of all a stream.
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
    // A program that has nothing else to do may end.
    if (typeof timer === 'object') timer.unref()
    waiting.set(request, timer)
    together += length
    request.begin()
  }

  /** Said once, until the server has caught up. */
  function drop(): void {
    if (isDropping) return
    isDropping = true
    connection.listener.warn('The server does not accept our answers and notifications; more of them are dropped until it does')
  }

  return {
    isEmpty: () => waiting.size === 0,
    send(message: OutgoingMessage): void {
      const { length } = message.text
      // One alone may be as long as it has to be.
      const hasRoom = waiting.size === 0 || (waiting.size < mostWaiting && together + length <= longestTogether)
      if (hasRoom) begin(message, length)
      else drop()
    },
  }
}
