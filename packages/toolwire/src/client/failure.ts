// What a transport's bad news mean for the request that they are about.
import { RpcError } from '../jsonrpc/error.js'
import type { LinkError, LinkErrorCode } from '../peer/link.js'
import { visibleLine } from '../tools/visible.js'
import { CallFailure, type CallFailureCode } from './errors.js'
import type { Inquiry } from './inquiry.js'

const codes: Readonly<Record<LinkErrorCode, CallFailureCode>> = {
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

/** After these nobody can say what the server did. */
const leaveInDoubt: ReadonlySet<LinkErrorCode> = new Set(['broken', 'exited', 'status', 'closed'])

export function failureOf(why: LinkError, { method, repeatable }: Pick<Inquiry, 'method' | 'repeatable'>): Error {
  // At the door and about sessions the status says it all, whatever form the words have.
  if (why.response && why.code === 'status') return rpcErrorOf(why)
  const inDoubt = why.sent && !repeatable && leaveInDoubt.has(why.code)
  return new CallFailure(inDoubt ? 'outcome_unknown' : codes[why.code], `${method}: ${why.message}${inDoubt ? doubt : ''}`, {
    cause: why,
    ...(why.retryAfterMs !== undefined && { retryAfterMs: why.retryAfterMs }),
    ...(why.status !== undefined && { status: why.status }),
  })
}

const doubt = '; whether the server did it cannot be known'

/** The server's own words, with the status they came with as the cause. */
function rpcErrorOf(why: LinkError): RpcError {
  const { code, message, data } = why.response?.error ?? { code: 0, message: why.message }
  return new RpcError(code, message, { data, cause: why })
}

export function timedOut(inquiry: Inquiry, limit: 'idleMs' | 'totalMs', ms: number): CallFailure {
  const what = limit === 'idleMs' ? `was silent for ${ms} ms` : `took longer than ${ms} ms`
  return inquiry.repeatable
    ? new CallFailure('timed_out', `${inquiry.method} ${what} (${limit}) and was given up`)
    : new CallFailure('outcome_unknown', `${inquiry.method} ${what} (${limit}) and was cancelled${doubt}`)
}

export const cancelled = (method: string, reason: unknown): CallFailure =>
  new CallFailure('cancelled', `${method} was cancelled`, { cause: reason })

const longestReason = 200

/** The server's reason is a stranger's text that ends in logs. */
export function withdrawn(what: string, reason: unknown): CallFailure {
  const said = typeof reason === 'string' && reason !== '' ? `: ${visibleLine(reason.slice(0, longestReason))}` : ''
  return new CallFailure('cancelled', `The server has withdrawn ${what}${said}`)
}
