import { ByteBuffer } from '../../jsonrpc/byte-buffer.js'

/** Collects the bytes of a body. Nearly every body is one chunk, which is not copied. */
export class BodyBuffer {
  readonly #limit: number
  #first: Uint8Array | undefined
  #all: ByteBuffer | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False if the body would exceed the limit. */
  add(chunk: Uint8Array): boolean {
    const first = this.#first
    const length = this.#all?.length ?? first?.length ?? 0
    if (length + chunk.length > this.#limit) return false
    if (first === undefined) {
      this.#first = chunk
      return true
    }
    if (this.#all === undefined) {
      this.#all = new ByteBuffer()
      this.#all.append(first)
    }
    this.#all.append(chunk)
    return true
  }

  take(): Uint8Array {
    return this.#all?.take() ?? this.#first ?? new Uint8Array(0)
  }
}
