const smallest = 256

/** Bytes that arrive piece by piece. It doubles as it grows, so a line in many chunks is copied a constant number of times. */
export class ByteBuffer {
  #bytes = new Uint8Array(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) this.#grow(length)
    this.#bytes.set(piece, this.#length)
    this.#length = length
  }

  /** A view of all bytes so far, to be read at once. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** All bytes so far; they belong to the caller, and the buffer begins anew. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length)
    this.clear()
    return taken
  }

  clear(): void {
    this.#bytes = new Uint8Array(0)
    this.#length = 0
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2, smallest))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}
