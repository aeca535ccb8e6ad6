// Converts failures at the upstream into errors for the caller.
import { Refusal, RpcError, ToolError, type ToolResult } from 'toolwire'
import { CallFailure, InvalidArguments, ToolCallError } from 'toolwire/client'
import { UpstreamUnavailable } from '../upstreams/unavailable.js'
import { toToolResult } from './forwarding.js'

/** The key in `_meta` under which programs find the code of a failure. */
const failureKey = 'dev.toolwire/failure'
/** Codes of JSON-RPC itself, which mean the same for every peer. */
const jsonRpcCodes: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603])
const isApplicationCode = (code: number): boolean => code < -32768 || code > -32000

/** A failed call as a result that a model can read; throws errors of the protocol. */
export function toolResultOf(thrown: unknown, upstream: string): ToolResult {
  if (thrown instanceof InvalidArguments) throw refusalOf(thrown)
  if (thrown instanceof ToolCallError) return toToolResult(thrown.result)
  if (thrown instanceof CallFailure) return failedResult(`${upstream}: ${messageOf(thrown)}`, thrown.code)
  if (thrown instanceof UpstreamUnavailable) return failedResult(thrown.message, 'unavailable')
  if (thrown instanceof RpcError && !isPassedOn(thrown)) return failedResult(`${upstream}: ${thrown.message}`, 'error')
  throw thrown
}

function refusalOf(cause: InvalidArguments): Refusal {
  const RefusalOf = cause.foundBy === 'server' ? RefusalByUpstream : Refusal
  return new RefusalOf('invalid-arguments', cause.message, { cause })
}

/** The upstream was sent the call, so it may have done something before it answered that the arguments are invalid. */
class RefusalByUpstream extends Refusal {
  override get wasCalled(): true {
    return true
  }
}

/** The error for a failed request other than a tool call. */
export function protocolErrorOf(thrown: unknown, upstream: string): unknown {
  if (thrown instanceof CallFailure) return new ToolError(`${upstream}: ${messageOf(thrown)}`)
  if (thrown instanceof UpstreamUnavailable) return new ToolError(thrown.message)
  if (thrown instanceof RpcError && !isPassedOn(thrown)) return new ToolError(`${upstream}: ${thrown.message}`)
  return thrown
}

/** May the code be passed on? A code defined by one revision may be unknown in the caller's. */
const isPassedOn = ({ code }: RpcError): boolean => jsonRpcCodes.has(code) || isApplicationCode(code)

/** Includes the code in the text if the reader must act on it. */
const messageOf = ({ code, message }: CallFailure): string => (code === 'outcome_unknown' ? `${code}: ${message}` : message)

const failedResult = (text: string, code: string): ToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
  meta: { [failureKey]: code },
})
