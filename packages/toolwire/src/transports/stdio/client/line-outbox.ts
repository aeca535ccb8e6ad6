import type { Writable } from 'node:stream'
import { type OutgoingMessage, TransportError, type TransportListener } from '../../../peer/client-transport.js'

/** Bytes in one write; also what may be miscounted, since streams count strings by characters. */
const oneWrite = 16 * 1024

/** Messages of a client on their way out, one a line. Those that are ready in the same tick leave in one write. */
export class LineOutbox {
  readonly #writable: Writable
  readonly #listener: TransportListener
  readonly #limit: number
  #waiting: OutgoingMessage[] = []
  #isClosed = false
  #isHushed = false

  constructor(writable: Writable, listener: TransportListener, limit: number) {
    this.#writable = writable
    this.#listener = listener
    this.#limit = limit
  }

  send(message: OutgoingMessage): void {
    // After the promises that are settled right now have been heard: what they send goes along.
    if (this.#waiting.push(message) === 1) process.nextTick(this.#flush)
  }

  /** Sends what is waiting and ends the stream. */
  end(): void {
    if (this.#isClosed) return
    this.#flush()
    this.#isClosed = true
    this.#writable.end()
  }

  /** The stream takes nothing any more, so what is waiting has surely not been sent. */
  abandon(): void {
    this.#isClosed = true
    this.#flush()
  }

  /** The reader has gone. */
  hush(): void {
    this.#isHushed = true
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    let batch = ''
    for (const message of waiting) {
      const reason = this.#refusal(message.text, batch.length)
      if (reason) this.#refuse(message, reason)
      else batch += lineOf(message.text)
      if (batch.length > oneWrite) {
        this.#write(batch)
        batch = ''
      }
    }
    if (batch !== '') this.#write(batch)
  }

  #write(batch: string): void {
    // A string is the fast way as long as nothing piles up. What may pile up is counted by bytes.
    const mayPileUp = batch.length > oneWrite || this.#writable.writableLength > 0
    this.#writable.write(mayPileUp ? Buffer.from(batch) : batch)
  }

  #refusal(text: string, ahead: number): TransportError | undefined {
    if (this.#isClosed) return new TransportError('closed', 'The connection is closed', { sent: false })
    const size = text.length > oneWrite ? Buffer.byteLength(text) : text.length
    if (size > this.#limit) {
      return new TransportError('too-large', `The message is longer than ${this.#limit} bytes`, { sent: false })
    }
    if (this.#writable.writableLength + ahead + size <= this.#limit) return undefined
    return new TransportError('broken', `The server does not read: ${this.#limit} bytes are waiting for it`, { sent: false })
  }

  #refuse(message: OutgoingMessage, why: TransportError): void {
    if (this.#isHushed) return
    if (message.id !== undefined && message.method !== undefined) this.#listener.lost(message.id, why)
    else if (!this.#isClosed) this.#listener.warn(`Not sent: ${message.method ?? 'an answer'}. ${why.message}`)
  }
}

/** JSON may hold newlines between its tokens, a line may not. Inside of strings they are escaped already. */
const lineOf = (text: string): string => (text.includes('\n') ? `${text.replaceAll('\n', ' ')}\n` : `${text}\n`)
