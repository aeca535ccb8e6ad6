// What a failure says about the server that it came from.
import { codes, RpcError } from '../../jsonrpc/error.js'
import { TransportError } from '../../peer/client-transport.js'
import { protocolCodes } from '../../revisions/protocol-codes.js'
import { CallFailure, type CallFailureCode } from '../errors.js'

/** What a transport said is the cause, whether the server put it into words of its own or not. */
export function transportErrorIn(thrown: unknown): TransportError | undefined {
  const why = thrown instanceof Error ? thrown.cause : undefined
  return why instanceof TransportError ? why : undefined
}

/** The server was not reached, or does not let us in: its era has nothing to do with it. */
export function isAccessFailure(thrown: unknown): boolean {
  const why = transportErrorIn(thrown)
  if (!why) return false
  const { code, status } = why
  return code === 'unreachable' || code === 'unauthorized' || code === 'redirected' || status === 429 || status === 503
}

/** How a server fails to understand an era that it is not from. */
const mismatchCodes = new Set<CallFailureCode>(['outcome_unknown', 'timed_out', 'disconnected', 'bad_response', 'turned_away'])

/** Errors that only a server of the newest era has words for. */
export const perRequestOnlyCodes: ReadonlySet<number> = new Set([protocolCodes.headerMismatch, protocolCodes.missingCapability])

/** Whether the server may have failed because it is not from the era in which it was spoken to. */
export function mayBeRevisionMismatch(thrown: unknown): boolean {
  if (isAccessFailure(thrown)) return false
  if (thrown instanceof RpcError) return !perRequestOnlyCodes.has(thrown.code)
  return thrown instanceof CallFailure && mismatchCodes.has(thrown.code)
}

/** Of servers that have not read the request. */
export const unreadStatuses: ReadonlySet<unknown> = new Set([400, 404, 405])

/** What a server says to a request that it has not even tried to understand. Nothing was done. */
export function isRevisionMismatch(thrown: unknown): boolean {
  if (thrown instanceof RpcError && (thrown.code === protocolCodes.unsupportedVersion || thrown.code === codes.methodNotFound))
    return true
  const why = transportErrorIn(thrown)
  return why !== undefined && !why.sent && unreadStatuses.has(why.status)
}
