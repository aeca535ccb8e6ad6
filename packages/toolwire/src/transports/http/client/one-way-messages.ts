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
export class OneWayMessages {
  readonly #httpConnection: HttpConnection
  readonly #options: OneWayOptions
  readonly #waiting = new Map<RetryingRequest, ReturnType<typeof setTimeout>>()
  /** Of all that wait. */
  #length = 0
  #isDropping = false

  constructor(httpConnection: HttpConnection, options: OneWayOptions) {
    this.#httpConnection = httpConnection
    this.#options = options
  }

  get size(): number {
    return this.#waiting.size
  }

  send(message: OutgoingMessage): void {
    const { length } = message.text
    // One alone may be as long as it has to be.
    if (this.size === 0 || (this.size < mostWaiting && this.#length + length <= longestTogether)) this.#begin(message, length)
    else this.#drop()
  }

  #begin(message: OutgoingMessage, length: number): void {
    const lose = (why: string): void => {
      this.#httpConnection.listener.warn(`A message was not delivered: ${why}`)
      this.#over(request, length)
    }
    const task = postOf(this.#httpConnection, message, this.#options.path)
    const request: RetryingRequest = new RetryingRequest(this.#httpConnection, task, {
      answered: () => {
        // What comes back for it is of no interest, least of all a stream.
        request.settle()
        this.#over(request, length)
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
    this.#waiting.set(request, timer)
    this.#length += length
    request.begin()
  }

  #over(request: RetryingRequest, length: number): void {
    clearTimeout(this.#waiting.get(request))
    if (!this.#waiting.delete(request)) return
    this.#length -= length
    if (this.size > 0) return
    this.#isDropping = false
    this.#options.allAccepted?.()
  }

  /** Said once, until the server has caught up. */
  #drop(): void {
    if (this.#isDropping) return
    this.#isDropping = true
    this.#httpConnection.listener.warn(
      'The server does not accept our answers and notifications; more of them are dropped until it does',
    )
  }
}
