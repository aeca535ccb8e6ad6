import { RpcError } from '../jsonrpc/error.js'

/** The request itself is not well formed in its edition, whatever it asked for; over HTTP that is a bad request. */
export class EnvelopeError extends RpcError {
  override name = 'EnvelopeError'
}
