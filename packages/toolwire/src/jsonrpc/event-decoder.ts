// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
import { decodeUtf8 } from '../json/utf8.js'
import { EventLines } from './event-lines.js'

/** A received event. `id` is the latest id of the stream, from this event or an earlier one. */
export type IncomingEvent = { event: string; data: string; id: string }

/** Thrown if a stream of events cannot be read any further. */
export class EventError extends Error {
  override name = 'EventError'
  readonly code: 'too-large' | 'utf8'

  constructor(code: EventError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const colonByte = 0x3a
const linesTogether = 1_024
/** The cost of reading a line, in bytes, in addition to its length. */
const ofLine = 16

/**
 * Decodes server-sent events from chunks of bytes, wherever these are cut. Throws if an event is longer than `limit` bytes or is not
 * UTF-8; the decoder cannot be used afterwards.
 *
 * @example
 * const decoder = new EventDecoder()
 * for await (const chunk of response.body) for (const { event, data } of decoder.push(chunk)) console.log(event, data)
 */
export class EventDecoder {
  readonly #limit: number
  readonly #lines: EventLines
  #isFirstLine = true
  /** The id to resume after, from the last complete event, or from an earlier event if that one had no id. */
  lastId = ''
  /** The reconnection delay that the stream has set last, with or without an event. */
  retryMs: number | undefined
  /** Bytes since the last message that belong to none, such as comments, ids and other events, plus a cost per line. */
  idleBytes = 0
  #id = ''
  #event = ''
  #data: string[] = []
  /** Lines of the event, joined in groups, because many short strings would take many times their size. */
  #joined: string[] = []
  #dataLength = 0
  /** Bytes of the lines with data, plus a cost per line. */
  #dataCost = 0

  constructor({ limit = 4 * 1024 * 1024 }: { limit?: number } = {}) {
    this.#limit = limit
    this.#lines = new EventLines(limit, tooLarge)
  }

  /** Returns the events that this chunk completes. An event that the end of the stream cuts off is never reported. */
  push(chunk: Uint8Array): IncomingEvent[] {
    const events: IncomingEvent[] = []
    for (const line of this.#lines.push(chunk)) {
      const before = this.#dataLength
      // Comments and empty lines can come in floods, so they are not decoded.
      if (line[0] === colonByte) this.#isFirstLine = false
      else {
        const text = line.length === 0 ? '' : this.#text(line)
        if (text === '') this.#finish(events)
        else this.#read(text)
      }
      if (this.#dataLength > before) this.#dataCost += line.length + ofLine
      else this.idleBytes += line.length + ofLine
    }
    return events
  }

  /** A blank line ends an event; an event without data only sets the id. */
  #finish(events: IncomingEvent[]): void {
    this.lastId = this.#id
    this.#isFirstLine = false
    if (this.#dataLength > 0) events.push(this.#take())
    this.#event = ''
  }

  #text(line: Uint8Array): string {
    const text = decode(line)
    const hasMark = this.#isFirstLine && text.startsWith('\ufeff')
    this.#isFirstLine = false
    return hasMark ? text.slice(1) : text
  }

  #read(line: string): void {
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1)
    this.#set(field, value.startsWith(' ') ? value.slice(1) : value)
  }

  /** A line that begins with a colon is a comment: its field has no name, and is ignored like any unknown one. */
  #set(field: string, value: string): void {
    if (field === 'data') this.#append(value)
    else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    else if (field === 'retry' && /^[0-9]+$/.test(value)) this.retryMs = Number(value)
  }

  #append(line: string): void {
    this.#dataLength += line.length + 1
    if (this.#dataLength > this.#limit + 1) throw tooLarge()
    this.#data.push(line)
    if (this.#data.length < linesTogether) return
    this.#joined.push(this.#data.join('\n'))
    this.#data = []
  }

  #take(): IncomingEvent {
    const lines = this.#joined.length === 0 ? this.#data : [...this.#joined, ...this.#data]
    const event = { event: this.#event || 'message', data: lines.join('\n'), id: this.lastId }
    this.idleBytes = event.event === 'message' && event.data !== '' ? 0 : this.idleBytes + this.#dataCost
    this.#data = []
    this.#joined = []
    this.#dataLength = 0
    this.#dataCost = 0
    return event
  }
}

/** The standard repairs invalid bytes. Here they would change a message unnoticed, so they end the stream. */
function decode(line: Uint8Array): string {
  try {
    return decodeUtf8(line)
  } catch {
    throw new EventError('utf8', 'a line of the event stream is not valid UTF-8')
  }
}

const tooLarge = (): EventError => new EventError('too-large', 'an event is longer than allowed')
