import type { IncomingEvent } from '../../../jsonrpc/events.js'
import { readMessage } from '../../../jsonrpc/read-message.js'
import { TransportError } from '../../../peer/client-transport.js'
import type { HttpConnection } from '../../http/client/http-connection.js'
import { sameOrigin } from '../../http/client/http-target.js'
import { EventReader } from '../../http/client/replies/event-reply.js'
import { deliverMessages } from '../../http/client/replies/message-receiver.js'
import { mediaTypeOf } from '../../http/client/replies/read-media-type.js'
import type { ResponseBody } from '../../http/client/replies/response-body.js'
import { RetryingRequest } from '../../http/client/requests/retrying-request.js'
import { eventType } from '../../http/media-type.js'
import { SseTransport } from './sse-transport.js'

const patienceMs = 10_000

/** Opens the stream of HTTP+SSE, and waits until the server has said where messages are to be posted. */
export function openEndpointStream(httpConnection: HttpConnection): Promise<SseTransport> {
  return new Promise((resolve, reject) => {
    const stream = new EndpointStream(httpConnection, (outcome) => {
      clearTimeout(timer)
      if (outcome instanceof SseTransport) resolve(outcome)
      else reject(outcome)
    })
    const headers = httpConnection.sessionHeaders.streams(undefined, '')
    const answered = (status: number, received: Parameters<typeof mediaTypeOf>[0]): ResponseBody => {
      if (mediaTypeOf(received) === eventType) return stream
      throw new TransportError('garbage', `${httpConnection.target.name} answered with HTTP ${status} and no stream of events`, {
        sent: false,
        status,
      })
    }
    const retryingRequest = new RetryingRequest(
      httpConnection,
      { pool: 'news', httpMethod: 'GET', headers, hasSession: false },
      { answered, failed: (why) => stream.fail(why) },
    )
    const timer = setTimeout(() => {
      retryingRequest.stop()
      stream.fail(
        new TransportError('unreachable', `${httpConnection.target.name} does not say where to post messages`, { sent: false }),
      )
    }, patienceMs)
    retryingRequest.begin()
  })
}

/** Its first event says where to post, the others are messages. */
class EndpointStream implements ResponseBody {
  readonly #httpConnection: HttpConnection
  readonly #opened: (outcome: SseTransport | TransportError) => void
  readonly #events: EventReader
  #link: SseTransport | undefined

  constructor(httpConnection: HttpConnection, opened: (outcome: SseTransport | TransportError) => void) {
    this.#httpConnection = httpConnection
    this.#opened = opened
    this.#events = new EventReader(httpConnection.limit)
  }

  push(chunk: Uint8Array): void {
    for (const event of this.#events.read(chunk)) this.#take(event)
  }

  end(): void {
    throw new TransportError('broken', `The stream from ${this.#httpConnection.target.name} has ended`, { sent: true })
  }

  fail(why: TransportError): void {
    if (this.#link) this.#link.end(why)
    else this.#opened(why)
  }

  #take({ event, data }: IncomingEvent): void {
    if (event === 'endpoint' && !this.#link) this.#open(data)
    else if (event === 'message' && data !== '' && this.#link) deliverMessages(readMessage(data), this.#link, { batches: true })
  }

  /** An endpoint on another origin could read messages meant for this one. */
  #open(endpoint: string): void {
    const { origin, path, name } = this.#httpConnection.target
    const url = sameOrigin(endpoint, origin + path)
    if (!url) throw new TransportError('redirected', `${name} wants messages posted to another origin; refused`, { sent: false })
    this.#link = new SseTransport(this.#httpConnection, url.pathname + url.search)
    this.#opened(this.#link)
  }
}
