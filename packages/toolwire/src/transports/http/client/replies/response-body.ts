import { ByteBuffer } from '../../../../jsonrpc/byte-buffer.js'
import { TransportError } from '../../../../peer/client-transport.js'
import { bareMediaType } from '../../media-type.js'
import { headerOf, type ReceivedHeaders } from '../http-clients/http-client.js'

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

/** The type of a body, without its parameters; throws where the body comes in an encoding that nobody asked for. */
export function mediaTypeOf(headers: ReceivedHeaders): string {
  const encoding = headerOf(headers, 'content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new TransportError('garbage', 'The answer is encoded in a way that was not asked for', { sent: true })
  }
  return bareMediaType(headerOf(headers, 'content-type'))
}
