// A message per line over any pair of byte streams, seen from the client.
// spec 2026-07-28, basic/transports/stdio and basic/transports#custom-transports
import type { Readable, Writable } from 'node:stream'
import { withDeadline } from '../../../bounds/deadline.js'
import { LineSplitter } from '../../../jsonrpc/line-splitter.js'
import { type ClientTransport, TransportError, type TransportListener } from '../../../peer/client-transport.js'
import { lineExcerpt, messageIntake } from '../../message-intake.js'
import { readLines } from '../read-lines.js'
import { afterSilence } from './after-silence.js'
import { lineOutbox } from './line-outbox.js'

/** The streams of the server's and of the client's messages. A socket is both. */
export type StreamPair = { readonly readable: Readable; readonly writable: Writable }

export type LineTransportOptions = {
  /** Longest line accepted, and limit of bytes queued for a server that does not read. */
  readonly limit?: number
  /** Milliseconds for the other side to end its stream after this side has ended its own. */
  readonly graceMs?: number
}

/** Lines in both directions. The program at the other end, and its end, are managed elsewhere. */
export interface LineTransport extends ClientTransport {
  readonly printed: string
  /** True while messages that have arrived wait to be heard. */
  readonly isBehind: boolean
  /** Stops reports to the listener about messages that are not sent. */
  hush(): void
  /** Sends the queue, stops reading, and ends the output. The other side notices the end of its input. */
  finish(): void
}

/** Milliseconds for which this side reads on after the server has stopped reading. */
const lastWordsMs = 40

export function lineTransport(
  { readable, writable }: StreamPair,
  listener: TransportListener,
  { limit = 4 * 1024 * 1024, graceMs = 1_000 }: LineTransportOptions = {},
): LineTransport {
  const intake = messageIntake(listener)
  const outbox = lineOutbox(writable, listener, limit)
  const splitter = new LineSplitter({ limit })
  const reading = readLines(readable, splitter, {
    hear(line) {
      if (line === 'oversize') intake.skipOversize(limit)
      else intake.take(line)
    },
    ended: () => ended(),
    waitUntilReady: () => intake.behind,
  })
  /** From then on the stream is drained, so that its writer does not block. */
  const stopReading = (): void => {
    reading.stop()
    readable.resume()
  }
  const isBehind = (): boolean => intake.behind !== undefined || reading.isBehind
  let isOver = false
  const ended = (cause?: unknown): void => {
    if (isOver) return
    if (intake.behind) return void intake.behind.then(() => ended(cause))
    isOver = true
    stopReading()
    intake.end()
    outbox.abandon()
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    listener.ended(new TransportError('broken', `The connection has ended${reason}`, { sent: true, cause }))
  }
  /** The other side reads no more. Its answers may still be on the way. */
  const deaf = (cause?: unknown): void => {
    outbox.abandon()
    if (!isOver) afterSilence(lastWordsMs, isBehind, () => ended(cause))
  }
  const finish = (): void => {
    isOver = true
    stopReading()
    intake.stop()
    outbox.end()
  }
  // These listeners stay: a stream may report several errors, even after its end.
  readable.on('error', ended)
  writable.on('error', deaf).on('close', deaf)
  return {
    shape: 'pipe',
    send: outbox.send,
    /** On a pipe a cancellation is a message, which the client sends itself. */
    drop() {},
    settled: intake.settled,
    get printed() {
      // Text after the last line may be a question to a person at a terminal.
      const lines = [...intake.printed(), lineExcerpt(splitter.unfinished)].filter((line) => line !== '')
      return lines.length > 0 ? `It printed:\n${lines.join('\n')}` : ''
    },
    get isBehind() {
      return isBehind()
    },
    hush: outbox.hush,
    finish,
    async close() {
      outbox.hush()
      finish()
      await endOf(readable, graceMs)
      readable.destroy()
      writable.destroy()
    },
  }
}

function endOf(readable: Readable, ms: number): Promise<void> {
  if (readable.readableEnded || readable.destroyed) return Promise.resolve()
  const ended = new Promise<void>((resolve) => readable.once('close', resolve).once('end', resolve))
  return withDeadline(ms, ended, () => undefined)
}
