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

export type LineReading = {
  /** True while lines wait to be heard, or reading has paused. */
  readonly isBehind: boolean
  stop(): void
}

/** Reads lines, in slices, until it is stopped. Text after the last newline stays in the splitter. */
export function readLines(readable: Readable, splitter: LineSplitter, reader: LineReader): LineReading {
  const { hear, ended, waitUntilReady } = reader
  let isStopped = false
  let hasEnded = false
  let lines: SplitLine[] = []
  /** The number of these lines that were heard. */
  let heard = 0
  /** Set while reading waits until the reader is ready. */
  let goOn: (() => void) | undefined
  const takeSlice = (): void => {
    const until = lines.length > 1 ? performance.now() + sliceMs : Infinity
    let bytes = 0
    let isLate = false
    while (heard < lines.length && !isLate && !isStopped) {
      const line = lines[heard++]!
      hear(line)
      bytes += line.length + bytesALine
      if (bytes < bytesALook) continue
      bytes = 0
      isLate = performance.now() > until
    }
    if (isStopped) return
    const waiting = hasEnded ? undefined : waitUntilReady?.()
    if (isLate || waiting) readable.pause()
    if (waiting) waitFor(waiting)
    else if (isLate) setImmediate(takeSlice)
    else if (hasEnded) ended()
    else if (readable.isPaused()) readable.resume()
  }
  const waitFor = (waiting: Promise<void>): void => {
    const next = (): void => {
      if (goOn !== next) return
      goOn = undefined
      takeSlice()
    }
    goOn = next
    void waiting.then(next)
  }
  const take = (chunk: Buffer): void => {
    const arrived = splitter.push(chunk)
    if (heard < lines.length) {
      // Node resumes the output of a process that has ended, although it was paused here.
      readable.pause()
      for (const line of arrived) lines.push(line)
    } else {
      lines = arrived
      heard = 0
      takeSlice()
    }
  }
  // A stream may end while it is paused, before the lines of its last chunk were heard.
  const over = (): void => {
    hasEnded = true
    goOn?.()
    if (heard === lines.length) ended()
  }
  readable.on('data', take).on('end', over).on('close', over)
  return {
    get isBehind() {
      return !isStopped && (heard < lines.length || readable.isPaused())
    },
    stop() {
      isStopped = true
      readable.off('data', take)
    },
  }
}
