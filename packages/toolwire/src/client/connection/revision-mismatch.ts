// Classifies failures: the wrong revision, no access, or neither.
import { codes, RpcError } from '../../jsonrpc/error.js'
import { TransportError } from '../../peer/client-transport.js'
import { protocolCodes } from '../../revisions/protocol-codes.js'
import { CallFailure, type CallFailureCode } from '../errors.js'

/** Returns the transport error behind a failure or a server's error, if there is one. */
export function transportErrorIn(thrown: unknown): TransportError | undefined {
  const why = thrown instanceof Error ? thrown.cause : undefined
  return why instanceof TransportError ? why : undefined
}

/** True if the server was not reached or denied access, which says nothing about its revision. */
export function isAccessFailure(thrown: unknown): boolean {
  const why = transportErrorIn(thrown)
  if (!why) return false
  const { code, status } = why
  return code === 'unreachable' || code === 'unauthorized' || code === 'redirected' || status === 429 || status === 503
}

/** The ways in which requests may fail at a server of another revision. */
const mismatchCodes = new Set<CallFailureCode>(['outcome_unknown', 'timed_out', 'disconnected', 'bad_response', 'turned_away'])

/** Error codes that only servers of per-request revisions send. */
export const perRequestOnlyCodes: ReadonlySet<number> = new Set([protocolCodes.headerMismatch, protocolCodes.missingCapability])

/** True if the server may have failed because the request was in the wrong revision. */
export function mayBeRevisionMismatch(thrown: unknown): boolean {
  if (isAccessFailure(thrown)) return false
  if (thrown instanceof RpcError) return !perRequestOnlyCodes.has(thrown.code)
  return thrown instanceof CallFailure && mismatchCodes.has(thrown.code)
}

/** HTTP statuses of servers that have not read the request. */
export const unreadStatuses: ReadonlySet<unknown> = new Set([400, 404, 405])

/** True if the server rejected the request without carrying it out. */
export function isRevisionMismatch(thrown: unknown): boolean {
  if (thrown instanceof RpcError && (thrown.code === protocolCodes.unsupportedVersion || thrown.code === codes.methodNotFound))
    return true
  const why = transportErrorIn(thrown)
  return why !== undefined && !why.sent && unreadStatuses.has(why.status)
}
