import type { Writable } from 'node:stream'
import { type OutgoingMessage, TransportError, type TransportListener } from '../../../peer/client-transport.js'

/** Bytes in one write; also what may be miscounted, since streams count strings by characters. */
const oneWrite = 16 * 1024

/** Messages of a client on their way out, one a line. Those that are ready in the same tick leave in one write. */
export function lineOutbox(writable: Writable, listener: TransportListener, limit: number) {
  let waiting: OutgoingMessage[] = []
  let isClosed = false
  let isHushed = false

  function refusal(text: string, ahead: number): TransportError | undefined {
    if (isClosed) return new TransportError('closed', 'The connection is closed', { sent: false })
    const size = text.length > oneWrite ? Buffer.byteLength(text) : text.length
    if (size > limit) return new TransportError('too-large', `The message is longer than ${limit} bytes`, { sent: false })
    if (writable.writableLength + ahead + size <= limit) return undefined
    return new TransportError('broken', `The server does not read: ${limit} bytes are waiting for it`, { sent: false })
  }

  function refuse({ id, method }: OutgoingMessage, why: TransportError): void {
    if (isHushed) return
    if (id !== undefined && method !== undefined) listener.lost(id, why)
    else if (!isClosed) listener.warn(`Not sent: ${method ?? 'an answer'}. ${why.message}`)
  }

  function write(batch: string): void {
    // A string is the fast way as long as nothing piles up. What may pile up is counted by bytes.
    const mayPileUp = batch.length > oneWrite || writable.writableLength > 0
    writable.write(mayPileUp ? Buffer.from(batch) : batch)
  }

  function flush(): void {
    const messages = waiting
    waiting = []
    let batch = ''
    for (const message of messages) {
      const reason = refusal(message.text, batch.length)
      if (reason) refuse(message, reason)
      else batch += lineOf(message.text)
      if (batch.length <= oneWrite) continue
      write(batch)
      batch = ''
    }
    if (batch !== '') write(batch)
  }

  return {
    send(message: OutgoingMessage): void {
      // After the promises that are settled right now have been heard: what they send goes along.
      if (waiting.push(message) === 1) process.nextTick(flush)
    },
    /** Sends what is waiting and ends the stream. */
    end(): void {
      if (isClosed) return
      flush()
      isClosed = true
      writable.end()
    },
    /** The stream takes nothing any more, so what is waiting has surely not been sent. */
    abandon(): void {
      isClosed = true
      flush()
    },
    /** The reader has gone. */
    hush(): void {
      isHushed = true
    },
  }
}

/** JSON may hold newlines between its tokens, a line may not. Inside of strings they are escaped already. */
const lineOf = (text: string): string => (text.includes('\n') ? `${text.replaceAll('\n', ' ')}\n` : `${text}\n`)
