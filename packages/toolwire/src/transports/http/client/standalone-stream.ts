import type { SingleMessage } from '../../../jsonrpc/read-message.js'
import type { TransportError } from '../../../peer/client-transport.js'
import type { Revision } from '../../../revisions/revision.js'
import type { HttpConnection } from './http-connection.js'
import type { MessageReceiver } from './replies/message-receiver.js'
import { isTransient, openEventStream, type ResumeContext } from './replies/open-event-stream.js'
import { ResumePoint } from './replies/resume-point.js'
import type { RetryingRequest } from './requests/retrying-request.js'

type StandaloneStreamHandlers = {
  /** Called once it is known whether there is such a stream, and maybe again. */
  readonly settled: () => void
  /** There was one, and now the server does not know the session any more. */
  readonly sessionGone: (why: TransportError) => void
}

/**
 * The stream on which a server with sessions speaks first; not every server has one.
 * spec 2025-11-25, basic/transports#listening-for-messages-from-the-server
 */
export class StandaloneStream implements MessageReceiver {
  readonly #httpConnection: HttpConnection
  readonly #reading: ResumeContext
  readonly #resumePoint = new ResumePoint()
  readonly #tidings: StandaloneStreamHandlers
  #wasOpen = false
  #retryingRequest: RetryingRequest | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** There is always more to come. */
  readonly done = false

  constructor(httpConnection: HttpConnection, revision: Revision, tidings: StandaloneStreamHandlers) {
    const form = { limit: httpConnection.limit, batches: revision.batching }
    this.#httpConnection = httpConnection
    this.#reading = { bookmark: this.#resumePoint, revision, form, recipient: this }
    this.#tidings = tidings
  }

  begin(): void {
    this.#retryingRequest = openEventStream(this.#httpConnection, this.#reading, {
      opened: () => this.#opened(),
      failed: (why) => this.#failed(why),
    })
    this.#retryingRequest.begin()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#retryingRequest?.stop()
    this.#tidings.settled()
  }

  take(message: SingleMessage): void {
    const { listener } = this.#httpConnection
    if (message.kind === 'invalid') listener.warn(`The server sent what is no message: ${message.error.message}`)
    else listener.hear(message)
  }

  #opened(): void {
    this.#wasOpen = true
    this.#tidings.settled()
  }

  /** A server without this stream should answer 405, but some answer with other statuses. */
  #failed(why: TransportError): void {
    this.#tidings.settled()
    if (isTransient(why)) this.#comeBack()
    else if (this.#wasOpen) this.#end(why)
  }

  #end(why: TransportError): void {
    if (why.code === 'session-gone') this.#tidings.sessionGone(why)
    else this.#httpConnection.listener.warn(`Nothing more will be heard of what changes at the server: ${why.message}`)
  }

  #comeBack(): void {
    this.#timer = setTimeout(() => this.begin(), this.#resumePoint.wait(this.#httpConnection.random))
    // A program that has nothing else to do may end.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }
}
