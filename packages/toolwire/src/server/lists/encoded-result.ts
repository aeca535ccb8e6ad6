const encoder = new TextEncoder()
const closing = encoder.encode('}')

/** A result that was encoded before it was asked for. */
export class EncodedResult {
  readonly #bytes: Uint8Array

  constructor(json: string) {
    this.#bytes = encoder.encode(json)
  }

  /** The response around it, in pieces, so that the bytes need not be copied. */
  body(id: string): readonly Uint8Array[] {
    return [encoder.encode(`{"jsonrpc":"2.0","id":${id},"result":`), this.#bytes, closing]
  }
}
