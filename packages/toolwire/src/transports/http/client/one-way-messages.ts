import type { OutgoingMessage } from '../../../peer/client-transport.js'
import { connectionPoolOf } from './http-clients/connection-pool.js'
import type { HttpConnection } from './http-connection.js'
import { ignoredBody } from './replies/response-body.js'
import { RetryingRequest } from './requests/retrying-request.js'

/** Enough for several to each call that can be under way. */
const mostWaiting = 1_024
/** In characters, which are nearly bytes. */
const longestTogether = 4 * 1024 * 1024
const patienceMs = 30_000

type OneWayMessage = { readonly errand: RetryingRequest; readonly length: number; readonly timer: ReturnType<typeof setTimeout> }

/**
 * Notifications and responses, which have no answer, until the server has accepted them. A server can make us send them by asking,
 * so it must not be able to make us keep them.
 */
export class OneWayMessages {
  readonly #httpConnection: HttpConnection
  readonly #path: string | undefined
  readonly #allAccepted: () => void
  readonly #waiting = new Set<OneWayMessage>()
  /** Of all that wait. */
  #length = 0
  #isDropping = false

  /** `path` is where they are posted, if not at the target's own. */
  constructor(
    httpConnection: HttpConnection,
    { path, allAccepted = () => {} }: { path?: string; allAccepted?: () => void } = {},
  ) {
    this.#httpConnection = httpConnection
    this.#path = path
    this.#allAccepted = allAccepted
  }

  get size(): number {
    return this.#waiting.size
  }

  send(message: OutgoingMessage): void {
    if (this.#hasRoomFor(message)) this.#begin(message)
    else this.#drop()
  }

  /** One alone may be as long as it has to be. */
  #hasRoomFor({ text }: OutgoingMessage): boolean {
    const { size } = this.#waiting
    return size === 0 || (size < mostWaiting && this.#length + text.length <= longestTogether)
  }

  #begin(message: OutgoingMessage): void {
    const retryingRequest: RetryingRequest = new RetryingRequest(this.#httpConnection, this.#task(message), {
      answered: () => {
        // What comes back for it is of no interest, least of all a stream.
        retryingRequest.settle()
        this.#over(notice)
        return ignoredBody
      },
      failed: (why) => this.#lose(notice, why.message),
    })
    const timer = setTimeout(() => {
      retryingRequest.stop()
      this.#lose(notice, `the server has not accepted it for ${patienceMs / 1_000} seconds`)
    }, patienceMs)
    // A program that has nothing else to do may end.
    if (typeof timer === 'object') timer.unref()
    const notice = { errand: retryingRequest, length: message.text.length, timer }
    this.#waiting.add(notice)
    this.#length += notice.length
    retryingRequest.begin()
  }

  #task(message: OutgoingMessage) {
    const { text, method, revision, mirrored } = message
    const { sessionHeaders } = this.#httpConnection
    const headers = sessionHeaders.posts(revision, mirrored)
    const hasSession = sessionHeaders.hasSession(revision)
    return { pool: connectionPoolOf(message), httpMethod: 'POST', path: this.#path, headers, hasSession, text, method } as const
  }

  #lose(notice: OneWayMessage, why: string): void {
    this.#httpConnection.listener.warn(`A message was not delivered: ${why}`)
    this.#over(notice)
  }

  #over(notice: OneWayMessage): void {
    clearTimeout(notice.timer)
    if (!this.#waiting.delete(notice)) return
    this.#length -= notice.length
    if (this.#waiting.size > 0) return
    this.#isDropping = false
    this.#allAccepted()
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
