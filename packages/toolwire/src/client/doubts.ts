// What a failure says about the server that it came from.
import { codes, RpcError } from '../jsonrpc/error.js'
import { LinkError } from '../peer/link.js'
import { protocolCodes } from '../revisions/protocol-codes.js'
import { CallFailure, type CallFailureCode } from './errors.js'

/** What a transport said is the cause, whether the server put it into words of its own or not. */
export function linkErrorIn(thrown: unknown): LinkError | undefined {
  const why = thrown instanceof Error ? thrown.cause : undefined
  return why instanceof LinkError ? why : undefined
}

/** The server was not reached, or does not let us in: its era has nothing to do with it. */
export function isAtTheDoor(thrown: unknown): boolean {
  const why = linkErrorIn(thrown)
  if (!why) return false
  const { code, status } = why
  return code === 'unreachable' || code === 'unauthorized' || code === 'redirected' || status === 429 || status === 503
}

/** How a server fails to understand an era that it is not from. */
const misunderstandings: ReadonlySet<CallFailureCode> = new Set([
  'outcome_unknown',
  'timed_out',
  'disconnected',
  'bad_response',
  'turned_away',
])

/** Errors that only a server of the newest era has words for. */
const modern: ReadonlySet<number> = new Set([protocolCodes.headerMismatch, protocolCodes.missingCapability])

/** Whether the server may have failed because it is not from the era in which it was spoken to. */
export function isDoubtful(thrown: unknown): boolean {
  if (isAtTheDoor(thrown)) return false
  if (thrown instanceof RpcError) return !modern.has(thrown.code)
  return thrown instanceof CallFailure && misunderstandings.has(thrown.code)
}

const refusals: ReadonlySet<unknown> = new Set([400, 404, 405])

/** What a server says to a request that it has not even tried to understand. Nothing was done. */
export function isOfAnotherEra(thrown: unknown): boolean {
  if (thrown instanceof RpcError && (thrown.code === protocolCodes.unsupportedVersion || thrown.code === codes.methodNotFound))
    return true
  const why = linkErrorIn(thrown)
  return why !== undefined && !why.sent && refusals.has(why.status)
}
