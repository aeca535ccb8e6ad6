// A message per line over any pair of byte streams, seen from the client.
// spec 2026-07-28, basic/transports/stdio and basic/transports#custom-transports
import type { Readable, Writable } from 'node:stream'
import { withDeadline } from '../../../bounds/deadline.js'
import {
  type ClientTransport,
  type Endpoint,
  type OutgoingMessage,
  TransportError,
  type TransportListener,
} from '../../../peer/client-transport.js'
import type { Revision } from '../../../revisions/revision.js'
import { MessageIntake } from '../../message-intake.js'
import { LineOutbox } from './line-outbox.js'
import { LineReader } from './line-reader.js'

/** Where the server's messages come from, and where ours go. A socket is both. */
export type StreamPair = { readonly readable: Readable; readonly writable: Writable }

export type LineTransportOptions = {
  /** Longest line taken, and most bytes kept for a server that does not read. */
  readonly limit?: number
  /** How long the other side may take to end its stream after we have ended ours. */
  readonly graceMs?: number
}

/** How long is listened to a server that listens no more. */
const lastWordsMs = 40

/** A link over two streams that are open. */
export function lineTransport(
  streams: StreamPair,
  listener: TransportListener,
  options: LineTransportOptions = {},
): LineTransport {
  return new LineTransport(streams, listener, options)
}

/** An endpoint behind a Unix socket, a TCP connection, or any other pair of byte streams. */
export function linesEndpoint(
  open: () => StreamPair | Promise<StreamPair>,
  options: LineTransportOptions & { readonly name: string },
): Endpoint {
  return {
    name: options.name,
    key: `lines:${options.name}`,
    dial: async (listener) => lineTransport(await opened(open, options.name), listener, options),
  }
}

async function opened(open: () => StreamPair | Promise<StreamPair>, name: string): Promise<StreamPair> {
  try {
    return await open()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TransportError('unreachable', `${name} cannot be reached: ${reason}`, { sent: false, cause })
  }
}

/** Lines both ways. What runs at the other end, and how it is ended, is not its business. */
export class LineTransport implements ClientTransport {
  readonly shape = 'pipe'
  readonly #streams: StreamPair
  readonly #listener: TransportListener
  readonly #graceMs: number
  readonly #intake: MessageIntake
  readonly #reader: LineReader
  readonly #outbox: LineOutbox
  #isOver = false

  constructor(
    streams: StreamPair,
    listener: TransportListener,
    { limit = 4 * 1024 * 1024, graceMs = 1_000 }: LineTransportOptions,
  ) {
    const { readable, writable } = streams
    this.#streams = streams
    this.#listener = listener
    this.#graceMs = graceMs
    this.#intake = new MessageIntake(listener)
    this.#reader = new LineReader(readable, this.#intake, limit)
    this.#outbox = new LineOutbox(writable, listener, limit)
    // These stay on: a stream may complain more than once, also after the end.
    readable.on('end', this.#ended).on('error', this.#ended).on('close', this.#ended)
    writable.on('error', this.#deaf).on('close', this.#deaf)
  }

  send(message: OutgoingMessage): void {
    this.#outbox.send(message)
  }

  /** On a pipe it takes a message to say so, and that is not ours to write. */
  drop(): void {}

  settled(revision: Revision): undefined {
    return this.#intake.settled(revision)
  }

  get printed(): string {
    const lines = [...this.#intake.printed, this.#reader.unfinished].filter((line) => line !== '')
    return lines.length > 0 ? `It printed:\n${lines.join('\n')}` : ''
  }

  /** The listener is told nothing from now on. */
  hush(): void {
    this.#outbox.hush()
  }

  /** Says its last word and hears nothing more. The other side notices the end of its input. */
  finish(): void {
    this.#isOver = true
    this.#reader.stop()
    this.#outbox.end()
  }

  async close(): Promise<void> {
    const { readable, writable } = this.#streams
    this.hush()
    this.finish()
    await endOf(readable, this.#graceMs)
    readable.destroy()
    writable.destroy()
  }

  /** Nobody takes our words any more. Answers may be under way all the same. */
  readonly #deaf = (cause?: unknown): void => {
    this.#outbox.abandon()
    if (!this.#isOver) setTimeout(this.#ended, lastWordsMs, cause)
  }

  readonly #ended = (cause?: unknown): void => {
    if (this.#isOver) return
    this.#isOver = true
    this.#reader.stop()
    this.#intake.end()
    this.#outbox.abandon()
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    this.#listener.ended(new TransportError('broken', `The connection has ended${reason}`, { sent: true, cause }))
  }
}

function endOf(readable: Readable, ms: number): Promise<void> {
  if (readable.readableEnded || readable.destroyed) return Promise.resolve()
  const ended = new Promise<void>((resolve) => readable.once('close', resolve).once('end', resolve))
  return withDeadline(ms, ended, () => undefined)
}
