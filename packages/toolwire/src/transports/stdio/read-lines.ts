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
  let end!: () => void
  const atEnd = new Promise<void>((resolve) => {
    end = resolve
  })
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
    if (waiting) void Promise.race([waiting, atEnd]).then(() => takeSlice(lines, at))
    else if (isLate) setImmediate(takeSlice, lines, at)
    else if (hasEnded) ended()
    else if (readable.isPaused()) readable.resume()
  }
  const take = (chunk: Buffer) => takeSlice(splitter.push(chunk), 0)
  // A stream may end while it is paused, before the lines of its last chunk were heard.
  const over = (): void => {
    hasEnded = true
    end()
    if (unheard === 0) ended()
  }
  readable.on('data', take).on('end', over).on('close', over)
  return () => {
    isStopped = true
    readable.off('data', take)
  }
}
