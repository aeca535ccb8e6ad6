import { TransportError } from '../../../peer/client-transport.js'
import type { HttpConnection } from '../../http/client/http-connection.js'
import { sameOrigin } from '../../http/client/http-target.js'
import { EventReader } from '../../http/client/replies/event-reply.js'
import { deliverTexts } from '../../http/client/replies/message-receiver.js'
import { mediaTypeOf, type ResponseBody } from '../../http/client/replies/response-body.js'
import { RetryingRequest } from '../../http/client/requests/retrying-request.js'
import { eventType } from '../../http/media-type.js'
import { type SseTransport, sseTransport } from './sse-transport.js'

const patienceMs = 10_000

/** Opens the stream of HTTP+SSE, and waits until the server has named the address for messages. */
export function openEndpointStream(httpConnection: HttpConnection): Promise<SseTransport> {
  const { name } = httpConnection.target
  return new Promise((resolve, reject) => {
    let transport: SseTransport | undefined
    const failed = (why: TransportError): void => {
      clearTimeout(timer)
      if (transport) transport.end(why)
      else reject(why)
    }
    const body = endpointBody(httpConnection, (opened) => {
      clearTimeout(timer)
      transport = opened
      resolve(opened)
    })
    const headers = httpConnection.sessionHeaders.streams(undefined, '')
    let timer: ReturnType<typeof setTimeout> | undefined
    /** The server has this time, and not a person who signs in. */
    const setWaiting = (isWaiting: boolean): void => {
      clearTimeout(timer)
      if (!isWaiting) timer = setTimeout(giveUp, patienceMs)
    }
    const task = { pool: 'streams', httpMethod: 'GET', headers, hasSession: false, setWaiting } as const
    const request = new RetryingRequest(httpConnection, task, {
      answered(status, received) {
        if (mediaTypeOf(received) === eventType) return body
        const message = `${name} answered with HTTP ${status} and no stream of events`
        throw new TransportError('garbage', message, { sent: false, status })
      },
      failed,
    })
    const giveUp = (): void => {
      request.stop()
      failed(new TransportError('unreachable', `${name} does not say where to post messages`, { sent: false }))
    }
    setWaiting(false)
    request.begin()
  })
}

/** The first event names the address for messages; the others are messages. */
function endpointBody(httpConnection: HttpConnection, opened: (transport: SseTransport) => void): ResponseBody {
  const { origin, path, name } = httpConnection.target
  const events = new EventReader(httpConnection.limit)
  let transport: SseTransport | undefined
  /** An endpoint on another origin could read messages meant for this one. */
  const open = (endpoint: string): void => {
    const url = sameOrigin(endpoint, origin + path)
    if (!url) throw new TransportError('redirected', `${name} wants messages posted to another origin; refused`, { sent: false })
    transport = sseTransport(httpConnection, url.pathname + url.search)
    opened(transport)
  }
  return {
    push(chunk) {
      const messages: string[] = []
      for (const { event, data } of events.read(chunk)) {
        if (event === 'endpoint' && !transport) open(data)
        else if (event === 'message' && data !== '' && transport) messages.push(data)
      }
      return transport && deliverTexts(messages, transport, true)
    },
    end() {
      throw new TransportError('broken', `The stream from ${name} has ended`, { sent: true })
    },
  }
}
