import type { Writable } from 'node:stream'
import { type OutgoingMessage, TransportError, type TransportListener } from '../../../peer/client-transport.js'

/** Bytes in one write; also the largest possible miscount, because streams count strings by characters. */
const oneWrite = 16 * 1024

/** Queues the messages of a client, one per line. Messages that are ready in the same tick are sent in one write. */
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
    // Strings are faster while nothing piles up. Data that may pile up is counted in bytes.
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
      // Flushes after the promises that are settled by now, so that their messages go into the same write.
      if (waiting.push(message) === 1) process.nextTick(flush)
    },
    end(): void {
      if (isClosed) return
      flush()
      isClosed = true
      writable.end()
    },
    /** Refuses the queue: the stream accepts nothing more, so the queue has certainly not been sent. */
    abandon(): void {
      isClosed = true
      flush()
    },
    /** Stops reports to the listener. */
    hush(): void {
      isHushed = true
    },
  }
}

/** JSON may contain newlines between its tokens, but a line may not. Inside strings they are escaped already. */
const lineOf = (text: string): string => (text.includes('\n') ? `${text.replaceAll('\n', ' ')}\n` : `${text}\n`)
