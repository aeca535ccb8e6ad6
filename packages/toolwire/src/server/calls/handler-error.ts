import { codes, isReserved, ProtocolError, RpcError } from '../../jsonrpc/error.js'
import { definitionError } from '../../tools/checks/definition-error.js'
import { reportFault } from '../report-fault.js'

const standard: ReadonlySet<number> = new Set(Object.values(codes))

/** Replaces a reserved code in a handler's error, because clients act on the protocol's own codes. */
export function handlerError(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || thrown instanceof ProtocolError) return thrown
  if (!isReserved(thrown.code) || standard.has(thrown.code)) return thrown
  const advice = `an RpcError has the reserved code ${thrown.code}; use a code outside -32768..-32000`
  reportFault('a handler', definitionError(advice, thrown))
  return new RpcError(codes.internalError, thrown.message, { data: thrown.data, cause: thrown })
}
