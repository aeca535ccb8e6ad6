import type { Readable } from 'node:stream'
import type { LineSplitter, SplitLine } from '../../jsonrpc/line-splitter.js'

/** Milliseconds of reading before other work gets its turn; a stream may deliver dozens of chunks before that. */
const sliceMs = 2
/** Bytes of lines after which the clock is read. */
const bytesALook = 16_384
/** A short line costs as much as so many bytes. */
const bytesALine = 256

type LineReader = {
  readonly hear: (line: SplitLine) => void
  /** Called when the stream has ended or was closed, and all its lines were heard; possibly twice. */
  readonly ended: () => void
  /** While the promise is pending, nothing is read. */
  readonly waitUntilReady?: () => Promise<void> | undefined
}

/** Reads lines, in slices, until the returned function is called. Text after the last newline stays in the splitter. */
export function readLines(readable: Readable, splitter: LineSplitter, reader: LineReader): () => void {
  const { hear, ended, waitUntilReady } = reader
  let isStopped = false
  let unheard = 0
  let hasEnded = false
  /** Set while reading waits until the reader is ready. */
  let goOn: (() => void) | undefined
  const takeSlice = (lines: readonly SplitLine[], from: number): void => {
    const until = lines.length > 1 ? performance.now() + sliceMs : Infinity
    let at = from
    let bytes = 0
    let isLate = false
    while (at < lines.length && !isLate && !isStopped) {
      const line = lines[at++]!
      hear(line)
      bytes += line.length + bytesALine
      if (bytes < bytesALook) continue
      bytes = 0
      isLate = performance.now() > until
    }
    if (isStopped) return
    unheard = lines.length - at
    const waiting = hasEnded ? undefined : waitUntilReady?.()
    if (isLate || waiting) readable.pause()
    if (waiting) waitFor(waiting, lines, at)
    else if (isLate) setImmediate(takeSlice, lines, at)
    else if (hasEnded) ended()
    else if (readable.isPaused()) readable.resume()
  }
  const waitFor = (waiting: Promise<void>, lines: readonly SplitLine[], at: number): void => {
    const next = (): void => {
      if (goOn !== next) return
      goOn = undefined
      takeSlice(lines, at)
    }
    goOn = next
    void waiting.then(next)
  }
  const take = (chunk: Buffer) => takeSlice(splitter.push(chunk), 0)
  // A stream may end while it is paused, before the lines of its last chunk were heard.
  const over = (): void => {
    hasEnded = true
    goOn?.()
    if (unheard === 0) ended()
  }
  readable.on('data', take).on('end', over).on('close', over)
  return () => {
    isStopped = true
    readable.off('data', take)
  }
}
