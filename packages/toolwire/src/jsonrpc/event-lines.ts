import { ByteBuffer } from './byte-buffer.js'

const newline = 0x0a
const carriageReturn = 0x0d

/** Cuts a stream of bytes into lines that end in CR, LF or both. A line is complete at its CR, whether or not an LF follows. */
export class EventLines {
  readonly #limit: number
  readonly #tooLong: () => Error
  readonly #pending = new ByteBuffer()
  #afterReturn = false

  constructor(limit: number, tooLong: () => Error) {
    this.#limit = limit
    this.#tooLong = tooLong
  }

  /** Returns the lines that this chunk completes, without their line ends. */
  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = []
    let start = this.#afterReturn && chunk[0] === newline ? 1 : 0
    if (chunk.length > 0) this.#afterReturn = false
    // Searches for a kind of line end only after the last one found has been passed, so a chunk is read twice, not once per line.
    let nextNewline = position(chunk, newline, start)
    let nextReturn = position(chunk, carriageReturn, start)
    while (nextNewline < chunk.length || nextReturn < chunk.length) {
      const end = Math.min(nextNewline, nextReturn)
      lines.push(this.#join(chunk.subarray(start, end)))
      start = this.#afterEnd(chunk, end)
      if (nextNewline < start) nextNewline = position(chunk, newline, start)
      if (nextReturn < start) nextReturn = position(chunk, carriageReturn, start)
    }
    this.#keep(chunk.subarray(start))
    return lines
  }

  /** Start of the next line. The LF of a CRLF may be in the next chunk. */
  #afterEnd(chunk: Uint8Array, end: number): number {
    if (chunk[end] === newline) return end + 1
    if (end + 1 === chunk.length) this.#afterReturn = true
    return chunk[end + 1] === newline ? end + 2 : end + 1
  }

  #join(rest: Uint8Array): Uint8Array {
    if (this.#pending.length === 0 && rest.length <= this.#limit) return rest
    this.#keep(rest)
    return this.#pending.take()
  }

  #keep(piece: Uint8Array): void {
    if (this.#pending.length + piece.length > this.#limit) throw this.#tooLong()
    if (piece.length > 0) this.#pending.append(piece)
  }
}

function position(chunk: Uint8Array, byte: number, start: number): number {
  const at = chunk.indexOf(byte, start)
  return at === -1 ? chunk.length : at
}
