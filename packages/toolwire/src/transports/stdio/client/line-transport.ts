// A message per line over any pair of byte streams, seen from the client.
// spec 2026-07-28, basic/transports/stdio and basic/transports#custom-transports
import type { Readable, Writable } from 'node:stream'
import { withDeadline } from '../../../bounds/deadline.js'
import { LineSplitter, type SplitLine } from '../../../jsonrpc/line-splitter.js'
import { type ClientTransport, TransportError, type TransportListener } from '../../../peer/client-transport.js'
import { lineExcerpt, messageIntake } from '../../message-intake.js'
import { lineOutbox } from './line-outbox.js'

/** Where the server's messages come from, and where ours go. A socket is both. */
export type StreamPair = { readonly readable: Readable; readonly writable: Writable }

export type LineTransportOptions = {
  /** Longest line taken, and most bytes kept for a server that does not read. */
  readonly limit?: number
  /** How long the other side may take to end its stream after we have ended ours. */
  readonly graceMs?: number
}

/** Lines both ways. What runs at the other end, and how it is ended, is not its business. */
export interface LineTransport extends ClientTransport {
  readonly printed: string
  /** The listener is told nothing from now on. */
  hush(): void
  /** Says its last word and hears nothing more. The other side notices the end of its input. */
  finish(): void
}

/** How long is listened to a server that listens no more. */
const lastWordsMs = 40

/** A link over two streams that are open. */
export function lineTransport(
  { readable, writable }: StreamPair,
  listener: TransportListener,
  { limit = 4 * 1024 * 1024, graceMs = 1_000 }: LineTransportOptions = {},
): LineTransport {
  const intake = messageIntake(listener)
  const outbox = lineOutbox(writable, listener, limit)
  const splitter = new LineSplitter({ limit })
  const stopReading = readLines(readable, splitter, (line) => {
    if (line === 'oversize') intake.skipOversize(limit)
    else intake.take(line)
  })
  let isOver = false
  const ended = (cause?: unknown): void => {
    if (isOver) return
    isOver = true
    stopReading()
    intake.end()
    outbox.abandon()
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    listener.ended(new TransportError('broken', `The connection has ended${reason}`, { sent: true, cause }))
  }
  /** Nobody takes our words any more. Answers may be under way all the same. */
  const deaf = (cause?: unknown): void => {
    outbox.abandon()
    if (!isOver) setTimeout(ended, lastWordsMs, cause)
  }
  const finish = (): void => {
    isOver = true
    stopReading()
    outbox.end()
  }
  // These stay on: a stream may complain more than once, also after the end.
  readable.on('end', ended).on('error', ended).on('close', ended)
  writable.on('error', deaf).on('close', deaf)
  return {
    shape: 'pipe',
    send: outbox.send,
    /** On a pipe it takes a message to say so, and that is not ours to write. */
    drop() {},
    settled: intake.settled,
    get printed() {
      // What came after the last line may be a question to a person at a terminal.
      const lines = [...intake.printed(), lineExcerpt(splitter.unfinished)].filter((line) => line !== '')
      return lines.length > 0 ? `It printed:\n${lines.join('\n')}` : ''
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

/** Milliseconds in one go: others want their turn too, and streams may offer dozens of chunks before it comes. */
const sliceMs = 2

/**
 * Reads a stream line by line until the returned function is called; it is drained without a listener then, so that its writer is
 * not blocked. What stands after the last newline is no message.
 */
function readLines(readable: Readable, splitter: LineSplitter, hear: (line: SplitLine) => void): () => void {
  let isStopped = false
  const takeSlice = (lines: readonly SplitLine[], from: number): void => {
    const end = performance.now() + sliceMs
    let at = from
    let isLate = false
    while (at < lines.length && !isLate && !isStopped) {
      hear(lines[at++]!)
      isLate = performance.now() > end
    }
    if (isLate) {
      readable.pause()
      setImmediate(takeSlice, lines, at)
    } else if (readable.isPaused()) readable.resume()
  }
  const take = (chunk: Buffer) => takeSlice(splitter.push(chunk), 0)
  readable.on('data', take)
  return () => {
    if (isStopped) return
    isStopped = true
    readable.off('data', take)
    readable.resume()
  }
}

function endOf(readable: Readable, ms: number): Promise<void> {
  if (readable.readableEnded || readable.destroyed) return Promise.resolve()
  const ended = new Promise<void>((resolve) => readable.once('close', resolve).once('end', resolve))
  return withDeadline(ms, ended, () => undefined)
}
