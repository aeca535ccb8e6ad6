import { TransportError } from '../../../../peer/client-transport.js'
import type { HttpConnection } from '../http-connection.js'
import type { RetryingRequest } from '../requests/retrying-request.js'
import { isTransient, openEventStream, type ResumeContext } from './open-event-stream.js'

/** Visits in a row that bring nothing new. */
const mostVisits = 8

/** Reads on a stream that ended before the answer was there. spec 2025-11-25, basic/transports#resumability-and-redelivery */
export class StreamResumption {
  readonly #httpConnection: HttpConnection
  readonly #reading: ResumeContext
  readonly #lost: (why: TransportError) => void
  #retryingRequest: RetryingRequest | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(httpConnection: HttpConnection, reading: ResumeContext, lost: (why: TransportError) => void) {
    this.#httpConnection = httpConnection
    this.#reading = reading
    this.#lost = lost
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#visit(), this.#reading.bookmark.wait(this.#httpConnection.random))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#retryingRequest?.stop()
  }

  settle(): void {
    this.#retryingRequest?.settle()
  }

  #visit(): void {
    this.#retryingRequest = openEventStream(this.#httpConnection, this.#reading, { failed: (why) => this.#failed(why) })
    this.#retryingRequest.begin()
  }

  #failed(why: TransportError): void {
    if (isTransient(why) && this.#reading.bookmark.attempts < mostVisits) this.begin()
    else this.#lost(final(why))
  }
}

/** The request itself was sent, even if reading its answer failed. */
function final(why: TransportError): TransportError {
  if (why.code === 'too-large' || why.code === 'garbage') return why
  const message = `The stream ended before the answer was there, and could not be read on: ${why.message}`
  return new TransportError('broken', message, { sent: true, cause: why })
}
