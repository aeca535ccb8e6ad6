// A message per line over any pair of byte streams: a pipe, a Unix socket, a TCP connection.
// spec 2025-11-25, basic/transports#stdio and #custom-transports

import type { Readable } from 'node:stream'
import { withDeadline } from '../../../bounds/deadline.js'
import { LineSplitter } from '../../../jsonrpc/line-splitter.js'
import type { Served } from '../../../peer/application.js'
import { type Caller, localUser } from '../../../tools/caller.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { atLeast, someObject } from '../../../tools/checks/option-values.js'
import { duplexChannel } from '../../duplex-channel.js'
import { readLines } from '../read-lines.js'
import { type OutputStream, outbox } from './outbox.js'

/** A stream that holds less may never report that it was drained. */
const mostWithoutDrain = 65_536

export type LinesOptions = {
  readonly readable: Readable
  readonly writable: OutputStream & { once(event: 'drain' | 'error' | 'close', listener: () => void): unknown }
  /** The caller at the other end; by default the person who started this process. */
  readonly caller?: Caller
  /** Longest line accepted, and limit of bytes queued for a client that does not read. */
  readonly limit?: number
  /** Milliseconds for answers in flight after the other side has ended its input. */
  readonly graceMs?: number
  /** Ends the connection from this side. */
  readonly signal?: AbortSignal
}

const known = optionsOf<LinesOptions>()({ 'readable writable caller signal': someObject, 'limit graceMs': atLeast(0) })

/**
 * Serves one client until its input ends; resolves when its requests are answered or abandoned.
 *
 * @example
 * ```ts
 * const serve = (options: Parameters<typeof wire.serveLines>[1]) => wire.serveLines(app, options)
 * ```
 */
export async function serveLines(app: Served, options: LinesOptions): Promise<void> {
  checkOptions('serveLines()', options, known)
  const { readable, writable, caller = localUser, limit = 4 * 1024 * 1024, graceMs = 1_500, signal } = options
  let ended!: () => void
  let broken!: () => void
  const over = new Promise<'ended' | 'broken'>((resolve) => {
    ended = () => resolve('ended')
    broken = () => resolve('broken')
  })
  const { send, flush } = outbox(writable, limit, broken)
  const channel = duplexChannel(app['~application'], caller, send)
  const splitter = new LineSplitter({ limit })
  // Stop reading from a client that does not read its answers, because they would only pile up, and while messages wait.
  const mostQueued = Math.max(limit / 4, mostWithoutDrain)
  const waitUntilReady = () => {
    if (channel.behind || writable.writableLength <= mostQueued) return channel.behind
    return new Promise<void>((resolve) => void writable.once('drain', resolve))
  }
  const reading = readLines(readable, splitter, { hear: channel.take, ended, waitUntilReady })
  readable.once('error', broken)
  writable.once('error', broken)
  signal?.addEventListener('abort', ended, { once: true })

  const how = await over
  reading.stop()
  signal?.removeEventListener('abort', ended)
  if (how === 'ended') {
    for (const line of splitter.end()) channel.take(line)
    if (!signal?.aborted) channel.conversation.cancelEndless(new Error('The client has closed its input'))
    await withDeadline(graceMs, channel.idle(), () => undefined)
    flush()
  }
  channel.leave()
}
