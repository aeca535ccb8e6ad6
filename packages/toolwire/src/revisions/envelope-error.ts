import { RpcError } from '../jsonrpc/error.js'

/** The request is not well formed in its revision; over HTTP that is a bad request. */
export class EnvelopeError extends RpcError {
  override name = 'EnvelopeError'
}
