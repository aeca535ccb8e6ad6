import type { Attributes } from '@opentelemetry/api'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import type { ToolCall } from '../../tools/tool.js'
import { label } from './label.js'

/** How a call failed: a class of failures in few words, none of which the caller or the tool has said. */
export type ErrorAttributes = Attributes & { 'error.type': string }

/** What a tool says when it is told to stop is no error of its own. */
export function resultErrorAttributes({ isError }: ToolResult, { context }: ToolCall): ErrorAttributes | undefined {
  if (!isError) return undefined
  return { 'error.type': context.signal.aborted ? 'cancelled' : 'tool_error' }
}

export function thrownErrorAttributes(thrown: unknown): ErrorAttributes {
  if (thrown instanceof Refusal) return { 'error.type': thrown.reason }
  if (!(thrown instanceof Error)) return { 'error.type': '_OTHER' }
  const code = 'code' in thrown ? thrown.code : undefined
  // Of the errors that have a number, those of JSON-RPC have room for data.
  if (Number.isSafeInteger(code) && 'data' in thrown) return { 'error.type': `${code}`, 'rpc.response.status_code': `${code}` }
  if (typeof code === 'string' && /^[a-z][a-z_]{1,63}$/i.test(code)) return { 'error.type': code }
  return { 'error.type': (typeof thrown.name === 'string' && label(thrown.name)) || '_OTHER' }
}
