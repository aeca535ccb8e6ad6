import { EventDecoder, EventError, type IncomingEvent } from '../../../../jsonrpc/events.js'
import { readMessage } from '../../../../jsonrpc/read-message.js'
import { TransportError } from '../../../../peer/client-transport.js'
import { deliverMessages, type MessageReceiver, type ReplyForm } from './message-receiver.js'
import type { ResponseBody } from './response-body.js'
import type { ResumePoint } from './resume-point.js'

/** An answer that is a stream of events, each of them a message. */
export function eventReply(receiver: MessageReceiver, resumePoint: ResumePoint, { limit, batches }: ReplyForm): ResponseBody {
  const reader = new EventReader(limit)
  return {
    push(chunk) {
      const events = reader.read(chunk)
      const { lastId, retryMs } = reader.decoder
      resumePoint.reach(lastId)
      if (retryMs !== undefined) resumePoint.askedToWait(retryMs)
      for (const { event, data } of events) {
        if (receiver.done) return
        // An event without data is there for its id alone. spec 2025-11-25, basic/transports#sending-messages-to-the-server
        if (event === 'message' && data !== '') deliverMessages(readMessage(data), receiver, batches)
      }
    },
    end() {
      if (!receiver.done) throw new TransportError('broken', 'The stream ended before the answer was there', { sent: true })
    },
  }
}

/** What a stream may say in this time without an event: comments that keep it open are a few bytes each quarter of a minute. */
const idleMs = 60_000
const mostIdleBytes = 4 * 1024 * 1024

/** Events from bytes, with a transport's errors. */
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
    // An event was there meanwhile, or it has been long enough.
    if (idleBytes < this.#idleBefore || now - this.#since > idleMs) {
      this.#since = now
      this.#idleBefore = idleBytes < this.#idleBefore ? 0 : idleBytes
    }
    if (idleBytes - this.#idleBefore > mostIdleBytes)
      throw new TransportError('too-large', 'The stream says too much that is no event, such as comments', { sent: true })
  }
}
