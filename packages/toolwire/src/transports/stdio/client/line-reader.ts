import type { Readable } from 'node:stream'
import { LineSplitter, type SplitLine } from '../../../jsonrpc/line-splitter.js'
import { lineExcerpt, type MessageIntake } from '../../message-intake.js'

/** Milliseconds in one go: others want their turn too, and streams may offer dozens of chunks before it comes. */
const sliceMs = 2

/** Reads a stream line by line until it is told to stop. What stands after the last newline is no message. */
export class LineReader {
  readonly #readable: Readable
  readonly #intake: MessageIntake
  readonly #limit: number
  readonly #splitter: LineSplitter
  #isStopped = false

  constructor(readable: Readable, intake: MessageIntake, limit: number) {
    this.#readable = readable
    this.#intake = intake
    this.#limit = limit
    this.#splitter = new LineSplitter({ limit })
    readable.on('data', this.#take)
  }

  /** Keeps draining the stream without a listener, so that its writer is not blocked. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#readable.off('data', this.#take)
    this.#readable.resume()
  }

  /** What came after the last line, such as a question to a person at a terminal. */
  get unfinished(): string {
    return lineExcerpt(this.#splitter.unfinished)
  }

  readonly #take = (chunk: Buffer): void => {
    this.#takeSlice(this.#splitter.push(chunk), 0)
  }

  #takeSlice(lines: readonly SplitLine[], from: number): void {
    const end = performance.now() + sliceMs
    let at = from
    let isLate = false
    while (at < lines.length && !isLate) {
      this.#hear(lines[at++]!)
      isLate = performance.now() > end
    }
    if (isLate) {
      this.#readable.pause()
      setImmediate(() => this.#takeSlice(lines, at))
    } else if (this.#readable.isPaused()) this.#readable.resume()
  }

  #hear(line: SplitLine): void {
    if (this.#isStopped) return
    if (line === 'oversize') this.#intake.skipOversize(this.#limit)
    else this.#intake.take(line)
  }
}
