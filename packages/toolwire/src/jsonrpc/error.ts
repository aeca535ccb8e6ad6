/** The codes of JSON-RPC 2.0 itself; those of one revision of the protocol live in ../revisions. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const

/** An error as it appears on the wire. */
export type ErrorObject = { code: number; message: string; data?: unknown }

/** JSON-RPC keeps these codes for itself and for protocols built on it. */
export const isReserved = (code: number): boolean => code >= -32768 && code <= -32000

/**
 * An error that the peer is meant to see. Other errors are never sent with their message.
 *
 * @example
 * ```ts
 * throw new RpcError(-32602, 'The argument "city" is missing.')
 * ```
 */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, options?: ErrorOptions & { data?: unknown }) {
    super(message, options)
    this.code = code
    this.data = options?.data
  }

  /** Keeps internal errors private: only an RpcError may show its message. */
  static toWire(thrown: unknown): ErrorObject {
    if (!(thrown instanceof RpcError)) return { code: codes.internalError, message: 'Internal error' }
    const { code, message, data } = thrown
    return data === undefined ? { code, message } : { code, message, data }
  }
}

/** An error whose code has a meaning in the protocol; raised by the library, never by a handler. */
export class ProtocolError extends RpcError {
  override name = 'ProtocolError'
}
