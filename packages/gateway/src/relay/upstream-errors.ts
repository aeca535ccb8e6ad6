// How the caller hears of a failure at the upstream.
import { Refusal, RpcError, ToolError, type ToolResult } from 'toolwire'
import { CallFailure, InvalidArguments, ToolCallError } from 'toolwire/client'
import { UpstreamUnavailable } from '../upstreams/unavailable.js'
import { toToolResult } from './forwarding.js'

/** Where programs find why a call failed on the way. */
const failureKey = 'dev.toolwire/failure'
/** JSON-RPC's own, which mean the same on every side. */
const standard: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603])
const isOwn = (code: number): boolean => code < -32768 || code > -32000

/** A failed call as a result that a model can read; throws what is for the protocol to say. */
export function toolResultOf(thrown: unknown, upstream: string): ToolResult {
  if (thrown instanceof InvalidArguments) throw new Refusal('invalid-arguments', thrown.message, { cause: thrown })
  if (thrown instanceof ToolCallError) return toToolResult(thrown.result)
  if (thrown instanceof CallFailure) return failed(`${upstream}: ${worded(thrown)}`, thrown.code)
  if (thrown instanceof UpstreamUnavailable) return failed(thrown.message, 'unavailable')
  if (thrown instanceof RpcError && !passes(thrown)) return failed(`${upstream}: ${thrown.message}`, 'error')
  throw thrown
}

/** The same for what is no tool. */
export function protocolErrorOf(thrown: unknown, upstream: string): unknown {
  if (thrown instanceof CallFailure) return new ToolError(`${upstream}: ${worded(thrown)}`)
  if (thrown instanceof UpstreamUnavailable) return new ToolError(thrown.message)
  if (thrown instanceof RpcError && !passes(thrown)) return new ToolError(`${upstream}: ${thrown.message}`)
  return thrown
}

/** A code that a revision has given a meaning need not have it in the caller's. */
const passes = ({ code }: RpcError): boolean => standard.has(code) || isOwn(code)

/** The code is part of the words where somebody must act on it. */
const worded = ({ code, message }: CallFailure): string => (code === 'outcome_unknown' ? `${code}: ${message}` : message)

const failed = (text: string, code: string): ToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
  meta: { [failureKey]: code },
})
