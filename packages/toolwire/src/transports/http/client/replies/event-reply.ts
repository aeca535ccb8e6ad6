import { EventDecoder, EventError, type IncomingEvent } from '../../../../jsonrpc/events.js'
import { TransportError } from '../../../../peer/client-transport.js'
import { deliverTexts, type MessageReceiver, type ReplyForm } from './message-receiver.js'
import type { ResponseBody } from './response-body.js'
import type { ResumePoint } from './resume-point.js'

/** Reads a response that is a stream of events, each of them a message. */
export function eventReply(receiver: MessageReceiver, resumePoint: ResumePoint, { limit, batches }: ReplyForm): ResponseBody {
  const reader = new EventReader(limit)
  return {
    push(chunk) {
      const events = reader.read(chunk)
      const { lastId, retryMs } = reader.decoder
      resumePoint.reach(lastId)
      if (retryMs !== undefined) resumePoint.askedToWait(retryMs)
      return deliverTexts(messagesIn(events), receiver, batches)
    },
    end() {
      if (!receiver.done) throw new TransportError('broken', 'The stream ended before the response', { sent: true })
    },
  }
}

/** An event without data carries only an id. spec 2025-11-25, basic/transports#sending-messages-to-the-server */
const messagesIn = (events: readonly IncomingEvent[]): string[] =>
  events.filter(({ event, data }) => event === 'message' && data !== '').map(({ data }) => data)

/** Limits the bytes of a stream in this time without a message. Comments that keep a stream open take a few bytes every 15 seconds. */
const idleMs = 60_000
const mostIdleBytes = 4 * 1024 * 1024

/** Decodes events from bytes, and throws errors of a transport. */
export class EventReader {
  readonly decoder: EventDecoder
  readonly #now: () => number
  #since = Number.NEGATIVE_INFINITY
  #idleBefore = 0

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.decoder = new EventDecoder({ limit })
    this.#now = now
  }

  read(chunk: Uint8Array): IncomingEvent[] {
    try {
      const events = this.decoder.push(chunk)
      if (this.decoder.idleBytes > 0) this.#checkIdle()
      return events
    } catch (thrown) {
      if (!(thrown instanceof EventError)) throw thrown
      const code = thrown.code === 'too-large' ? 'too-large' : 'garbage'
      throw new TransportError(code, `The stream cannot be read: ${thrown.message}`, { sent: true })
    }
  }

  #checkIdle(): void {
    const { idleBytes } = this.decoder
    const now = this.#now()
    // An event has come since, or the time has passed.
    if (idleBytes < this.#idleBefore || now - this.#since > idleMs) {
      this.#since = now
      this.#idleBefore = idleBytes < this.#idleBefore ? 0 : idleBytes
    }
    if (idleBytes - this.#idleBefore > mostIdleBytes)
      throw new TransportError('too-large', 'The stream sent more than 4 MiB within a minute without a message.', { sent: true })
  }
}
