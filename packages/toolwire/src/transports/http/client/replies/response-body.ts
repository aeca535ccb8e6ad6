import { ByteBuffer } from '../../../../jsonrpc/byte-buffer.js'

/** Reads the body of an answer. Both throw a TransportError when it cannot be taken. */
export interface ResponseBody {
  push(chunk: Uint8Array): void
  end(): void
}

/** A body of which nobody wants to know anything. */
export const ignoredBody: ResponseBody = { push: () => {}, end: () => {} }

/** The bytes of a body. Nearly all are one chunk, which is not copied. */
export class BodyBuffer {
  readonly #limit: number
  #first: Uint8Array | undefined
  #all: ByteBuffer | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when it would become too long. */
  add(chunk: Uint8Array): boolean {
    const length = this.#all?.length ?? this.#first?.length ?? 0
    if (length + chunk.length > this.#limit) return false
    if (this.#first === undefined) this.#first = chunk
    else this.#append(this.#first, chunk)
    return true
  }

  take(): Uint8Array {
    return this.#all?.take() ?? this.#first ?? new Uint8Array(0)
  }

  #append(first: Uint8Array, chunk: Uint8Array): void {
    if (this.#all === undefined) {
      this.#all = new ByteBuffer()
      this.#all.append(first)
    }
    this.#all.append(chunk)
  }
}
