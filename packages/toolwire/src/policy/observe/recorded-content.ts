import { diag } from '@opentelemetry/api'
import type { JsonObject } from '../../json.js'
import { definitionError } from '../../tools/checks/definition-error.js'
import type { ToolResult } from '../../tools/result.js'
import type { ToolCall } from '../../tools/tool.js'

/** What was said in a call: what the tool was given, what it gave, or why there was nothing. */
export type ObservedContent = { readonly call: ToolCall } & (
  | { readonly what: 'arguments'; readonly value: JsonObject }
  | { readonly what: 'result'; readonly value: ToolResult }
  | { readonly what: 'message'; readonly value: string }
)

/** What of it may be kept, written as JSON unless it is text; undefined keeps nothing. */
export type RedactContent = (said: ObservedContent) => unknown

/** Nothing that was said is kept, unless `content` is true and `redact` lets it pass. */
export type ObserveContentOptions = { content?: false; redact?: undefined } | { content: true; redact: RedactContent }

export type RecordContent = (said: ObservedContent) => string | undefined

const longest = 8_192

/** What is kept of what was said; undefined where nothing may be. */
export function contentRecorder({ content = false, redact }: ObserveContentOptions): RecordContent | undefined {
  if (!content) return undefined
  if (typeof redact !== 'function')
    throw definitionError(
      'observe({ content: true }) needs `redact`, a function that says what of arguments and results may be kept',
    )
  return (said) => {
    try {
      const kept = redact(said)
      return (typeof kept === 'string' ? kept : JSON.stringify(kept))?.slice(0, longest)
    } catch (thrown) {
      diag.error('toolwire: `redact` has thrown, so nothing was kept', thrown)
      return undefined
    }
  }
}
