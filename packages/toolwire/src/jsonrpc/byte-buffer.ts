/** Collects the bytes of a body; undefined if there are more than `most`. */
export async function collectBytes(body: ReadableStream<Uint8Array> | null, most: number): Promise<Uint8Array | undefined> {
  const buffer = new ByteBuffer()
  for await (const chunk of body ?? []) {
    if (buffer.length + chunk.length > most) return undefined
    buffer.append(chunk)
  }
  return buffer.take()
}

const smallest = 256
const largest = 1_048_576

/**
 * Collects bytes that arrive in pieces, in blocks that double in size up to 1 MiB. Small pieces take little more memory than their
 * bytes, and a long body leaves no outgrown buffers behind.
 */
export class ByteBuffer {
  #full: Uint8Array[] = []
  #block = new Uint8Array(0)
  #used = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    for (let from = 0; from < piece.length; ) {
      if (this.#used === this.#block.length) this.#nextBlock(piece.length - from)
      const part = piece.subarray(from, from + this.#block.length - this.#used)
      this.#block.set(part, this.#used)
      this.#used += part.length
      this.#length += part.length
      from += part.length
    }
  }

  /** A view of all bytes so far, to be read before the buffer changes. */
  get bytes(): Uint8Array {
    if (this.#full.length > 0) {
      const whole = new Uint8Array(this.#length)
      let at = 0
      for (const block of [...this.#full, this.#block.subarray(0, this.#used)]) {
        whole.set(block, at)
        at += block.length
      }
      this.#full = []
      this.#block = whole
      this.#used = whole.length
    }
    return this.#block.subarray(0, this.#used)
  }

  /** Empties the buffer and returns its bytes, which then belong to the caller. */
  take(): Uint8Array {
    const taken = this.bytes
    this.clear()
    return taken
  }

  clear(): void {
    this.#full = []
    this.#block = new Uint8Array(0)
    this.#used = 0
    this.#length = 0
  }

  #nextBlock(wanted: number): void {
    if (this.#used > 0) this.#full.push(this.#block)
    this.#block = new Uint8Array(Math.max(wanted, Math.min(this.#length, largest), smallest))
    this.#used = 0
  }
}
