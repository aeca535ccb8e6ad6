import type { Response } from '../../../../jsonrpc/message.js'
import { readMessage } from '../../../../jsonrpc/read-message.js'
import { TransportError, type TransportErrorCode } from '../../../../peer/client-transport.js'
import { BodyBuffer } from '../../body-buffer.js'
import { headerOf, type ReceivedHeaders } from '../http-clients/http-client.js'
import type { ResponseBody } from '../replies/response-body.js'

type RefusedResponse = {
  readonly status: number
  readonly headers: ReceivedHeaders
  /** Undefined if it is too long to be read. */
  readonly body: Uint8Array | undefined
  readonly name: string
  readonly id: number | undefined
  /** True if the request named a session. */
  readonly hasSession: boolean
}

/** Statuses with which a server refuses a request before it acts on the message. */
const nothingDone: ReadonlySet<number> = new Set([401, 403, 404, 405, 406, 413, 415, 429, 431])
const words: Readonly<Record<number, string>> = {
  401: 'authentication required',
  403: 'not allowed',
  404: 'not found',
  405: 'method not allowed',
  413: 'the message is too large',
  415: 'JSON is not accepted',
  429: 'too many requests',
  431: 'the headers are too large',
  503: 'service unavailable',
}
const longestWaitMs = 86_400_000

const longestBody = 64 * 1024

/** Reads the body of a refused request, up to a limit. */
export function refusalBody(read: (body: Uint8Array | undefined) => void): ResponseBody {
  const gathered = new BodyBuffer(longestBody)
  return {
    push(chunk) {
      if (!gathered.add(chunk)) read(undefined)
    },
    end: () => read(gathered.take()),
  }
}

export function refusalErrorOf(refused: RefusedResponse): TransportError {
  const { status } = refused
  const response = errorIn(refused)
  const retryAfterMs = retryAfter(headerOf(refused.headers, 'retry-after'))
  return new TransportError(codeOf(refused), textOf(refused), {
    status,
    sent: !(nothingDone.has(status) || (status === 400 && (response !== undefined || refused.body?.length === 0))),
    ...(response && { response }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

/** spec 2025-11-25, basic/transports#session-management: 404 means that the session has ended. */
function codeOf({ status, hasSession }: RefusedResponse): TransportErrorCode {
  if (status === 404 && hasSession) return 'session-gone'
  return status === 401 || status === 403 ? 'unauthorized' : 'status'
}

const textOf = ({ status, name }: RefusedResponse): string =>
  `${name} answered with HTTP ${status}${words[status] === undefined ? '' : ` (${words[status]})`}`

/** The error in the body, if it is about this request. */
function errorIn({ body, id }: RefusedResponse): Extract<Response, { error: unknown }> | undefined {
  if (body === undefined || body.length === 0) return undefined
  const message = readMessage(body)
  if (message.kind !== 'response' || !('error' in message.response)) return undefined
  const about = message.response.id
  return about === undefined || about === null || about === id ? message.response : undefined
}

/** The header holds seconds, or a date. RFC 9110, section 10.2.3 */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const ms = /^[0-9]+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestWaitMs)
}
