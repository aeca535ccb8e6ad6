import type { IncomingEvent } from '../../../jsonrpc/events.js'
import { readMessage } from '../../../jsonrpc/parse.js'
import { LinkError } from '../../../peer/link.js'
import type { Body } from './body.js'
import type { Door } from './door.js'
import { Errand } from './errand.js'
import { EventReader } from './event-reply.js'
import { eventType, mediaOf } from './media.js'
import { handOver } from './recipient.js'
import { StreamLink } from './stream-link.js'
import { sameOrigin } from './target.js'

const patienceMs = 10_000

/** Opens the stream of HTTP+SSE, and waits until the server has said where messages are to be posted. */
export function openStream(door: Door): Promise<StreamLink> {
  return new Promise((resolve, reject) => {
    const stream = new EndpointStream(door, (outcome) => {
      clearTimeout(timer)
      if (outcome instanceof StreamLink) resolve(outcome)
      else reject(outcome)
    })
    const headers = door.headings.streams(undefined, '')
    const answered = (status: number, received: Parameters<typeof mediaOf>[0]): Body => {
      if (mediaOf(received) === eventType) return stream
      throw new LinkError('garbage', `${door.target.name} answered with HTTP ${status} and no stream of events`, {
        sent: false,
        status,
      })
    }
    const errand = new Errand(
      door,
      { lane: 'news', httpMethod: 'GET', headers, hasSession: false },
      { answered, failed: (why) => stream.fail(why) },
    )
    const timer = setTimeout(() => {
      errand.stop()
      stream.fail(new LinkError('unreachable', `${door.target.name} does not say where to post messages`, { sent: false }))
    }, patienceMs)
    errand.begin()
  })
}

/** Its first event says where to post, the others are messages. */
class EndpointStream implements Body {
  readonly #door: Door
  readonly #opened: (outcome: StreamLink | LinkError) => void
  readonly #events: EventReader
  #link: StreamLink | undefined

  constructor(door: Door, opened: (outcome: StreamLink | LinkError) => void) {
    this.#door = door
    this.#opened = opened
    this.#events = new EventReader(door.limit)
  }

  push(chunk: Uint8Array): void {
    for (const event of this.#events.read(chunk)) this.#take(event)
  }

  end(): void {
    throw new LinkError('broken', `The stream from ${this.#door.target.name} has ended`, { sent: true })
  }

  fail(why: LinkError): void {
    if (this.#link) this.#link.end(why)
    else this.#opened(why)
  }

  #take({ event, data }: IncomingEvent): void {
    if (event === 'endpoint' && !this.#link) this.#open(data)
    else if (event === 'message' && data !== '' && this.#link) handOver(readMessage(data), this.#link, { batches: true })
  }

  /** Whoever could name another origin would get to read what is meant for this one. */
  #open(endpoint: string): void {
    const { origin, path, name } = this.#door.target
    const url = sameOrigin(endpoint, origin + path)
    if (!url) throw new LinkError('redirected', `${name} wants messages posted to another origin; refused`, { sent: false })
    this.#link = new StreamLink(this.#door, url.pathname + url.search)
    this.#opened(this.#link)
  }
}
