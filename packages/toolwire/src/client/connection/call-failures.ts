// Turns transport errors into errors of the requests that they affect.
import { RpcError } from '../../jsonrpc/error.js'
import type { TransportError, TransportErrorCode } from '../../peer/client-transport.js'
import { visibleLine } from '../../text/visible.js'
import { CallFailure, type CallFailureCode } from '../errors.js'
import type { PendingRequest } from './pending-request.js'

const codes: Readonly<Record<TransportErrorCode, CallFailureCode>> = {
  unreachable: 'disconnected',
  broken: 'disconnected',
  'too-large': 'limit',
  garbage: 'bad_response',
  status: 'turned_away',
  redirected: 'turned_away',
  unauthorized: 'turned_away',
  'session-gone': 'disconnected',
  exited: 'disconnected',
  closed: 'closed',
}

/** Errors after which it is unknown what the server did. */
const unknownOutcomeCodes: ReadonlySet<TransportErrorCode> = new Set(['broken', 'exited', 'status', 'closed'])

export function callFailureOf(why: TransportError, { method, repeatable }: Pick<PendingRequest, 'method' | 'repeatable'>): Error {
  // For authentication and session errors the status is enough, so the body is ignored.
  if (why.response && why.code === 'status') return rpcErrorOf(why)
  const inDoubt = why.sent && !repeatable && unknownOutcomeCodes.has(why.code)
  const code = inDoubt ? 'outcome_unknown' : codes[why.code]
  return new CallFailure(code, `${method}: ${why.message}${inDoubt ? unknownOutcomeNote : ''}`, causedBy(why))
}

/** The failure of a later request of a call, such as one about its task, as a failure of the call. */
export const outcomeUnknown = (cause: CallFailure | RpcError, why = cause.message): CallFailure =>
  new CallFailure('outcome_unknown', `The call could not be continued: ${why}${unknownOutcomeNote}`, causedBy(cause))

const causedBy = (cause: Error & { readonly retryAfterMs?: number | undefined; readonly status?: number | undefined }) => ({
  cause,
  ...(cause.retryAfterMs !== undefined && { retryAfterMs: cause.retryAfterMs }),
  ...(cause.status !== undefined && { status: cause.status }),
})

const unknownOutcomeNote = '. It is unknown whether the server carried it out. Check before you retry.'

function rpcErrorOf(why: TransportError): RpcError {
  const { code, message, data } = why.response?.error ?? { code: 0, message: why.message }
  return new RpcError(code, message, { data, cause: why })
}

export function timedOut(pendingRequest: PendingRequest, limit: 'idleMs' | 'totalMs', ms: number): CallFailure {
  const what = limit === 'idleMs' ? `was silent for ${ms} ms` : `took longer than ${ms} ms`
  return pendingRequest.repeatable
    ? new CallFailure('timed_out', `${pendingRequest.method} ${what} (${limit}) and was given up`)
    : new CallFailure('outcome_unknown', `${pendingRequest.method} ${what} (${limit}) and was cancelled${unknownOutcomeNote}`)
}

export const cancelled = (method: string, reason: unknown): CallFailure =>
  new CallFailure('cancelled', `${method} was cancelled`, { cause: reason })

const longestReason = 200

/** The server's reason is untrusted text that ends up in logs. */
export function withdrawnByServer(what: string, reason: unknown): CallFailure {
  const said = typeof reason === 'string' && reason !== '' ? `: ${visibleLine(reason.slice(0, longestReason))}` : ''
  return new CallFailure('cancelled', `The server has withdrawn ${what}${said}`)
}
