// What a failure says about the server that it came from.
import { codes, RpcError } from '../jsonrpc/error.js'
import { LinkError } from '../peer/link.js'
import { protocolCodes } from '../revisions/protocol-codes.js'
import { CallFailure } from './errors.js'

/** The server was not reached, or does not let us in: its era has nothing to do with it. */
export function isAtTheDoor(thrown: unknown): boolean {
  const why = thrown instanceof CallFailure ? thrown.cause : undefined
  return (
    why instanceof LinkError &&
    (why.code === 'unreachable' || why.code === 'unauthorized' || why.status === 429 || why.status === 503)
  )
}

/** What a server says to a request of an era that it no longer is from. None of it did anything. */
export function isOfAnotherEra(thrown: unknown): boolean {
  if (thrown instanceof RpcError)
    return (
      thrown.code === protocolCodes.unsupportedVersion ||
      thrown.code === codes.methodNotFound ||
      thrown.cause instanceof LinkError
    )
  const why = thrown instanceof CallFailure ? thrown.cause : undefined
  return why instanceof LinkError && why.code === 'status' && !why.sent
}
