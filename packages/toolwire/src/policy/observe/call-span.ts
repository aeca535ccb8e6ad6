import { type Attributes, type Context, type Span, SpanStatusCode } from '@opentelemetry/api'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import { Suspension } from '../../tools/suspension.js'
import type { ToolCall } from '../../tools/tool.js'
import type { Instruments } from './instruments.js'
import type { ObservedContent, RecordContent } from './recorded-content.js'
import { label, type ToolDescription } from './tool-description.js'

type Parts = {
  readonly call: ToolCall
  readonly span: Span
  /** Context in which the call is made. */
  readonly here: Context
  readonly description: ToolDescription
  readonly instruments: Instruments
  readonly kept: RecordContent | undefined
}

export function watchCall({ call, span, here, description: { attributes }, instruments, kept }: Parts) {
  const startedAt = performance.now()

  function keep(attribute: string, said: ObservedContent): void {
    const text = kept && span.isRecording() ? kept(said) : undefined
    if (text !== undefined) span.setAttribute(attribute, text)
  }

  function end(failure: ErrorAttributes | undefined, thrown?: unknown): void {
    if (failure) {
      // Messages may repeat content, such as invalid arguments or a server's answer.
      const message = kept && thrown instanceof Error ? kept({ call, what: 'message', value: thrown.message }) : undefined
      span.setAttributes(failure)
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
    }
    const seconds = (performance.now() - startedAt) / 1_000
    instruments.duration.record(seconds, failure ? { ...attributes, ...failure } : attributes, here)
    span.end()
  }

  keep('gen_ai.tool.call.arguments', { call, what: 'arguments', value: call.arguments })
  return {
    returned(result: ToolResult): void {
      keep('gen_ai.tool.call.result', { call, what: 'result', value: result })
      end(resultErrorAttributes(result, call))
    },
    threw(thrown: unknown): void {
      // A question is not a failure: the call continues after the answer.
      if (thrown instanceof Suspension) {
        span.addEvent('input_required')
        end(undefined)
        return
      }
      const failure = thrownErrorAttributes(thrown)
      if (thrown instanceof Refusal) instruments.refusals.add(1, { ...attributes, ...failure })
      end(failure, thrown)
    },
  }
}

/** Class of a failure, without its message. */
type ErrorAttributes = Attributes & { 'error.type': string }

/** The error result of a cancelled call counts as a cancellation. */
function resultErrorAttributes({ isError }: ToolResult, { context }: ToolCall): ErrorAttributes | undefined {
  if (!isError) return undefined
  return { 'error.type': context.signal.aborted ? 'cancelled' : 'tool_error' }
}

function thrownErrorAttributes(thrown: unknown): ErrorAttributes {
  if (thrown instanceof Refusal) return { 'error.type': thrown.reason }
  if (!(thrown instanceof Error)) return { 'error.type': '_OTHER' }
  const code = 'code' in thrown ? thrown.code : undefined
  // Of the errors with a numeric code, only those of JSON-RPC have data.
  if (Number.isSafeInteger(code) && 'data' in thrown) return { 'error.type': `${code}`, 'rpc.response.status_code': `${code}` }
  if (typeof code === 'string' && /^[a-z][a-z_]{1,63}$/i.test(code)) return { 'error.type': code }
  return { 'error.type': (typeof thrown.name === 'string' && label(thrown.name)) || '_OTHER' }
}
