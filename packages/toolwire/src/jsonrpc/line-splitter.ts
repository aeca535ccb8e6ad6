// One message per line. spec 2025-06-18, basic/transports#stdio
import { ByteBuffer } from './byte-buffer.js'

/** A line without its line end, or `oversize` for a line that was too long and has been dropped. */
export type SplitLine = Uint8Array | 'oversize'

const newline = 0x0a
const carriageReturn = 0x0d
const tab = 0x09
const space = 0x20

/** Cuts a stream of bytes into lines. A line within one chunk is a view of it, so read it before the chunk is reused. */
export class LineSplitter {
  readonly #limit: number
  readonly #pending = new ByteBuffer()
  #isSkipping = false

  constructor({ limit = 4 * 1024 * 1024 }: { limit?: number } = {}) {
    this.#limit = limit
  }

  /** Returns the lines that this chunk completes. */
  push(chunk: Uint8Array): SplitLine[] {
    const lines: SplitLine[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#complete(chunk.subarray(start, end), lines)
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start), lines)
    return lines
  }

  /** The part of an incomplete line that has arrived. */
  get unfinished(): Uint8Array {
    return this.#pending.bytes
  }

  /** The last line, if the stream ended without a newline. */
  end(): SplitLine[] {
    const lines: SplitLine[] = []
    this.#complete(new Uint8Array(0), lines)
    return lines
  }

  #complete(rest: Uint8Array, lines: SplitLine[]): void {
    const line = this.#join(rest, lines)
    if (line && !isBlank(line)) lines.push(line.at(-1) === carriageReturn ? line.subarray(0, -1) : line)
  }

  /** The whole line, or nothing if it was too long. */
  #join(rest: Uint8Array, lines: SplitLine[]): Uint8Array | undefined {
    const isWhole = this.#pending.length === 0 && !this.#isSkipping && rest.length <= this.#limit
    if (isWhole) return rest
    this.#keep(rest, lines)
    const wasSkipped = this.#isSkipping
    this.#isSkipping = false
    return wasSkipped ? undefined : this.#pending.take()
  }

  #keep(piece: Uint8Array, lines: SplitLine[]): void {
    if (this.#isSkipping) return
    if (this.#pending.length + piece.length <= this.#limit) {
      this.#pending.append(piece)
      return
    }
    this.#pending.clear()
    this.#isSkipping = true
    lines.push('oversize')
  }
}

const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte === space || byte === tab || byte === carriageReturn)
